/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "selftest_interrupts.h"

#include <stdlib.h>
#include <string.h>

/*
 * Returns the number of a CPU's column, from 0 on, or -1 if the CPU is offline.
 * The first line names the online CPUs.
 */
static int column_of(const char *head, int cpu)
{
	int column = 0;

	for (; (head = strstr(head, "CPU")); head += 3, column++)
		if (strtol(head + 3, NULL, 10) == cpu)
			return column;
	return -1;
}

/* Lines such as "ERR: 0" have one column. */
static uint64_t count_in(const char *line, int column)
{
	const char *at = strchr(line, ':');
	uint64_t count = 0;
	char *end;

	for (at = at ? at + 1 : ""; column >= 0; column--, at = end) {
		count = strtoull(at, &end, 10);
		if (end == at)
			return 0;
	}
	return count;
}

uint64_t selftest_interrupts(FILE *file, int cpu)
{
	uint64_t sum = 0;
	size_t size = 0;
	char *line = NULL;
	int column = -1;

	if (getline(&line, &size, file) > 0)
		column = column_of(line, cpu);
	while (getline(&line, &size, file) > 0)
		sum += count_in(line, column);
	free(line);
	return sum;
}
