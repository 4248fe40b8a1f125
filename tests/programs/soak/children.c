/* SPDX-License-Identifier: MIT */
/* Children made by fork, clone and vfork. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <selfmon.h>

#include "sanitized.h"
#include "soak.h"

/*
 * Expects only the child's own work, whatever the parent's threads did during
 * the fork. A report allocates memory: under a sanitizer, the locks of its
 * allocator may remain locked in a child.
 */
static int look_at_own(uint64_t expected)
{
	struct selfmon_report *report;
	uint64_t visits = 0;
	size_t i;

	if (SANITIZED)
		return 0;
	if (selfmon_report_take(&report))
		return 1;
	for (i = 0; i < selfmon_report_row_count(report); i++)
		visits += selfmon_report_row(report, i)->visits;
	return visits == expected ? 0 : 2;
}

static int work(void)
{
	soak_short_thread(NULL);
	return look_at_own(2 * SOAK_VISITS);
}

/* ---- a child that closes all descriptors and opens files ----------------- */

#define FILES 64
#define LEAST 1024 /* the library's first descriptor (platform/kernel.c) */

static void take_all(int file[FILES])
{
	int null, i;

	for (i = 3; i < LEAST + 2 * FILES; i++)
		close(i);
	null = open("/dev/null", O_RDONLY);
	for (i = 0; i < FILES; i++)
		file[i] = fcntl(null, F_DUPFD, i & 1 ? LEAST : 0);
}

static bool has_all(const int file[FILES])
{
	int i;

	for (i = 0; i < FILES; i++)
		if (file[i] >= 0 && fcntl(file[i], F_GETFD) < 0)
			return false;
	return true;
}

/*
 * The child closes its copies of the parent's descriptors, and opens files at
 * the numbers that the parent's events had.
 */
static int take_its_parents(void)
{
	int file[FILES];

	take_all(file);
	soak_short_thread(NULL);
	return has_all(file) ? look_at_own(2 * SOAK_VISITS) : 3;
}

/*
 * Like the function above, but the files take the numbers that the child's own
 * events had.
 */
static int take_its_own(void)
{
	int file[FILES];

	soak_short_thread(NULL);
	take_all(file);
	soak_short_thread(NULL);
	return has_all(file) ? look_at_own(4 * SOAK_VISITS) : 3;
}

/* ---- a child that may not open events ------------------------------------ */

static bool forbid(unsigned int number)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
			 offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | 1 /* EPERM */),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	const struct sock_fprog program = {
		.len = sizeof(filter) / sizeof(filter[0]), .filter = filter
	};

	return !prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) &&
	       !prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

static int be_filtered(void)
{
	return forbid(SYS_perf_event_open) && forbid(SYS_ioctl) ? work() : 4;
}

/* ---- by fork ------------------------------------------------------------ */

void *soak_fork(void *unused)
{
	static int (*const what[])(void) = { work, take_its_parents,
					     take_its_own, be_filtered };
	unsigned int turn = 0;
	int status;
	pid_t pid;

	while (soak_goes_on()) {
		SELFMON_REGION("forked")
		{
			pid = fork();
			if (pid == 0) {
				/* Ends a child that would hang. */
				alarm(300);
				_exit(what[turn % 4]());
			}
		}
		if (pid < 0 || waitpid(pid, &status, 0) != pid || status)
			soak_fail("child %u ended with %#x", turn % 4,
				  (unsigned int)status);
		turn++;
	}
	return unused;
}

/*
 * After a raw clone(2), the child has copies of the C library's locks, which
 * another thread may hold. A report needs the heap's lock, so the child makes
 * visits only.
 */
void *soak_clone(void *unused)
{
	int status;
	pid_t pid;

	while (soak_goes_on()) {
		SELFMON_REGION("around a clone")
		{
			pid = (pid_t)syscall(SYS_clone, SIGCHLD, NULL, NULL,
					     NULL, 0);
			if (pid == 0) {
				alarm(300);
				soak_short_thread(NULL);
				_exit(0);
			}
		}
		if (pid < 0 || waitpid(pid, &status, 0) != pid || status)
			soak_fail("a child by clone ended with %#x",
				  (unsigned int)status);
	}
	return unused;
}

/* ---- by vfork ----------------------------------------------------------- */

/* The child runs on its parent's memory, so its visits are the parent's. */
static __attribute__((noinline)) pid_t visit_by_vfork(void)
{
	const pid_t pid = vfork();

	if (pid == 0) {
		SELFMON_REGION("vfork")
		{
		}
		_exit(0);
	}
	return pid;
}

void *soak_vfork(void *unused)
{
	int status;
	pid_t pid;

	while (soak_goes_on()) {
		SELFMON_REGION("around a vfork")
		{
			pid = visit_by_vfork();
		}
		if (pid < 0 || waitpid(pid, &status, 0) != pid || status)
			soak_fail("a child by vfork ended with %#x",
				  (unsigned int)status);
		soak_count(SOAK_VFORK, 1);
	}
	return unused;
}
