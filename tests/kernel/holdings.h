/* SPDX-License-Identifier: MIT */
/* What this process holds: descriptors, and maps of perf events. */
#ifndef TESTS_KERNEL_HOLDINGS_H
#define TESTS_KERNEL_HOLDINGS_H

#include <criterion/criterion.h>
#include <dirent.h>
#include <stdio.h>
#include <string.h>

struct holdings {
	size_t fds;
	size_t maps;
};

static inline struct holdings holdings_now(void)
{
	struct holdings now = { .fds = 0 };
	char line[512];
	DIR *dir = opendir("/proc/self/fd");
	FILE *maps = fopen("/proc/self/maps", "r");

	cr_assert(dir && maps);
	while (readdir(dir))
		now.fds++;
	while (fgets(line, sizeof(line), maps))
		now.maps += strstr(line, "[perf_event]") != NULL;
	closedir(dir);
	fclose(maps);
	return now;
}

static inline void holdings_assert_back(const struct holdings *before)
{
	const struct holdings now = holdings_now();

	cr_assert_eq(now.fds, before->fds, "%zu descriptors, %zu before",
		     now.fds, before->fds);
	cr_assert_eq(now.maps, before->maps, "%zu maps, %zu before",
		     now.maps, before->maps);
}

#endif
