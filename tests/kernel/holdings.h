/* SPDX-License-Identifier: MIT */
/* Counts descriptors, maps and address space of this process. */
#ifndef TESTS_KERNEL_HOLDINGS_H
#define TESTS_KERNEL_HOLDINGS_H

#include <criterion/criterion.h>
#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

struct holdings {
	size_t fds;
	size_t maps; /* mappings of perf events */
	/* Number of all mappings. The C library may add some. */
	size_t lines;
	/*
	 * Size of the address space. The kernel merges adjacent mappings of the
	 * same kind, so their growth may not change the number of mappings.
	 */
	size_t kib;
};

static inline size_t holdings_kib(void)
{
	FILE *file = fopen("/proc/self/statm", "re");
	size_t pages = 0;

	cr_assert_not_null(file);
	cr_assert_eq(fscanf(file, "%zu", &pages), 1);
	fclose(file);
	return pages * ((size_t)sysconf(_SC_PAGESIZE) / 1024);
}

static inline struct holdings holdings_now(void)
{
	struct holdings now = { .fds = 0 };
	char line[512];
	DIR *dir = opendir("/proc/self/fd");
	FILE *maps = fopen("/proc/self/maps", "r");

	cr_assert(dir && maps);
	while (readdir(dir))
		now.fds++;
	while (fgets(line, sizeof(line), maps)) {
		now.maps += strstr(line, "[perf_event]") != NULL;
		now.lines++;
	}
	closedir(dir);
	fclose(maps);
	now.kib = holdings_kib();
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

/*
 * Limits of holdings_assert_flat(): the growth that the C library may cause
 * while threads run one after another.
 */
#define HOLDINGS_MORE_LINES 20
#define HOLDINGS_MORE_KIB 1024

static inline void holdings_assert_flat(const struct holdings *before)
{
	const struct holdings now = holdings_now();

	holdings_assert_back(before);
	cr_assert_leq(now.lines, before->lines + HOLDINGS_MORE_LINES,
		      "%zu maps of all kinds, %zu before", now.lines,
		      before->lines);
	cr_assert_leq(now.kib, before->kib + HOLDINGS_MORE_KIB,
		      "%zu KiB of addresses, %zu before", now.kib, before->kib);
}

#endif
