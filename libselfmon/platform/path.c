/* SPDX-License-Identifier: MIT */
#include "platform/path.h"

#include <stdio.h>

#include "platform/kernel.h"

#define NUMBER_SIZE 24

bool selfmon_path_expand(const char *name, size_t length,
			 char path[SELFMON_PATH_SIZE], bool *names_process)
{
	size_t n = 0, i;

	*names_process = false;
	for (i = 0; i < length && n + NUMBER_SIZE < SELFMON_PATH_SIZE; i++) {
		if (name[i] == '%' && i + 1 < length && name[i + 1] == 'p') {
			n += (size_t)snprintf(path + n, NUMBER_SIZE, "%d",
					      (int)selfmon_kernel_pid());
			*names_process = true;
			i++;
		} else {
			path[n++] = name[i];
			i += name[i] == '%' && i + 1 < length &&
			     name[i + 1] == '%';
		}
	}
	path[n] = '\0';
	return i == length;
}
