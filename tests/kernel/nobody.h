/* SPDX-License-Identifier: MIT */
/*
 * For tests: becomes an unprivileged user who runs nothing else on the machine.
 */
#ifndef TESTS_KERNEL_NOBODY_H
#define TESTS_KERNEL_NOBODY_H

#include <criterion/criterion.h>
#include <stdio.h>
#include <unistd.h>

static inline long nobody_number_in(const char *path, long otherwise)
{
	FILE *const file = fopen(path, "r");
	long n = otherwise;

	if (!file)
		return n;
	if (fscanf(file, "%ld", &n) != 1)
		n = otherwise;
	fclose(file);
	return n;
}

static inline long nobody_paranoid(void)
{
	return nobody_number_in("/proc/sys/kernel/perf_event_paranoid", 2);
}

/*
 * If the caller is root, becomes a user without capabilities who has no other
 * processes: the kernel adds up the memory that all processes of a user lock.
 * Skips the test if the user cannot be changed, or if users without
 * capabilities cannot open events.
 */
static inline void nobody_become(void)
{
	const unsigned int nobody = 200000u + (unsigned int)getpid();

	if (getuid() == 0 && (setgid(nobody) || setuid(nobody)))
		cr_skip_test("the user cannot be changed here");
	if (nobody_paranoid() > 2)
		cr_skip_test("perf_event_paranoid is %ld", nobody_paranoid());
}

#endif
