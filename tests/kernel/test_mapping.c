/* SPDX-License-Identifier: MIT */
/*
 * Tests how a memory mapping is found: by ioctl, and by reading
 * /proc/self/maps.
 */
#define _GNU_SOURCE
#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "platform/mapping.h"

#define QUERY 0xc0686611 /* PROCMAP_QUERY of <linux/fs.h>, Linux 6.11 */

static size_t page;
/*
 * One accessible page, a guard of two pages, three accessible pages, a gap of
 * one page, one accessible page.
 */
static char *pages;

static void map_pages(void)
{
	page = (size_t)sysconf(_SC_PAGESIZE);
	pages = mmap(NULL, 8 * page, PROT_READ | PROT_WRITE,
		     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	cr_assert_neq((void *)pages, MAP_FAILED);
	mprotect(pages + page, 2 * page, PROT_NONE);
	munmap(pages + 6 * page, page);
}

TestSuite(mapping, .init = map_pages);

/* Makes the ioctl fail, as on a kernel before 6.11. */
static void refuse_queries(void)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
			 offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_ioctl, 0, 3),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
			 offsetof(struct seccomp_data, args[1])),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, QUERY, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOTTY),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	const struct sock_fprog program = {
		.len = sizeof(filter) / sizeof(filter[0]), .filter = filter
	};

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
		cr_skip_test("no filter of system calls");
}

static uint64_t at(size_t i)
{
	return (uint64_t)(uintptr_t)(pages + i * page);
}

static void check_pages(void)
{
	struct selfmon_mapping mapping;

	cr_assert(selfmon_mapping_find(at(3), &mapping));
	cr_assert_eq(mapping.start, at(3));
	cr_assert_eq(mapping.end, at(6));
	cr_assert_eq(mapping.guard, 2 * page);
	cr_assert(selfmon_mapping_find(at(6) - 1, &mapping));
	cr_assert_eq(mapping.start, at(3));
	cr_assert(selfmon_mapping_find(at(1), &mapping));
	cr_assert_eq(mapping.start, at(1));
	cr_assert_eq(mapping.guard, 0);
	cr_assert(selfmon_mapping_find(at(7), &mapping));
	cr_assert_eq(mapping.guard, 0, "a gap is no guard");
	cr_assert_not(selfmon_mapping_find(at(6), &mapping));
	cr_assert_not(selfmon_mapping_find(1, &mapping));
}

Test(mapping, is_found_with_the_guard_below_it)
{
	check_pages();
}

Test(mapping, is_found_by_reading_too)
{
	refuse_queries();
	check_pages();
}

#define MANY ((size_t)4096)

static char *make_long_list(void)
{
	char *const many = mmap(NULL, MANY * page, PROT_READ,
				MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	size_t i;

	cr_assert_neq((void *)many, MAP_FAILED);
	for (i = 0; i < MANY; i += 2)
		mprotect(many + i * page, page, PROT_NONE);
	cr_assert_lt((uintptr_t)many, (uintptr_t)pages);
	return many;
}

/*
 * Returns true on Linux 6.11 and later. A kernel that knows the ioctl fails
 * with EFAULT, because the argument is NULL. An older kernel fails with ENOTTY
 * before it reads the argument.
 */
static bool has_query(void)
{
	const int fd = open("/proc/self/maps", O_RDONLY);
	const bool has = ioctl(fd, QUERY, NULL) &&
			 errno == EFAULT;

	close(fd);
	return has;
}

/*
 * If /proc/self/maps was once too long, the library does not read the file
 * again, even after the file has become short.
 */
Test(mapping, is_not_found_at_the_end_of_a_long_list)
{
	struct selfmon_mapping mapping;
	char *const many = make_long_list();

	if (has_query())
		cr_assert(selfmon_mapping_find(at(3), &mapping));
	refuse_queries();
	cr_assert_not(selfmon_mapping_find(at(3), &mapping));
	munmap(many, MANY * page);
	cr_assert_not(selfmon_mapping_find(at(3), &mapping));
}

Test(mapping, is_not_found_without_a_descriptor)
{
	struct selfmon_mapping mapping;
	struct rlimit limit, none;
	bool found;

	getrlimit(RLIMIT_NOFILE, &limit);
	none = limit;
	none.rlim_cur = 0;
	setrlimit(RLIMIT_NOFILE, &none);
	found = selfmon_mapping_find(at(3), &mapping);
	setrlimit(RLIMIT_NOFILE, &limit);
	cr_assert_not(found);
}
