/* SPDX-License-Identifier: MIT */
/* Names in a directory (of sysfs). */
#include "platform/directory.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>

int selfmon_directory_open(const char *path,
			   struct selfmon_directory *directory)
{
	directory->stream = opendir(path);
	return directory->stream ? 0 : -errno;
}

bool selfmon_directory_next(struct selfmon_directory *directory, char *name,
			    size_t size)
{
	const struct dirent *entry;

	if (!directory->stream)
		return false;
	do {
		entry = readdir(directory->stream);
		if (!entry)
			return false;
	} while (entry->d_name[0] == '.');
	snprintf(name, size, "%s", entry->d_name);
	return true;
}

void selfmon_directory_close(struct selfmon_directory *directory)
{
	if (directory->stream)
		closedir(directory->stream);
	directory->stream = NULL;
}
