/* SPDX-License-Identifier: MIT */
/*
 * Makes functions of the C library that call the kernel fail (ld --wrap,
 * tests.mk). kernel_faults.c and any.c replace functions of libselfmon, and
 * any.c also replaces other functions of the C library. The original functions
 * of libselfmon call the functions here, so each step inside of them can fail,
 * too.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "fault/kernel_faults.h"
#include "sanitized.h"

/*
 * Declares the functions for ld --wrap, and begins the definition of the
 * replacement. `name` is the function that the library calls.
 */
#define WRAP(type, name, ...)                                                  \
	type __real_##name(__VA_ARGS__);                                       \
	type __wrap_##name(__VA_ARGS__);                                       \
	type __wrap_##name(__VA_ARGS__)

/*
 * Set by a constructor, before main(). A sanitizer's runtime calls some of
 * these functions earlier, and these calls must not fail.
 */
static volatile bool begun;

static __attribute__((constructor)) void begin(void)
{
	begun = true;
}

/* Returns true if this call must fail, and sets errno like the C library. */
static __attribute__((no_sanitize("address"))) bool fails(const char *name)
{
	const int error = begun ? kernel_faults_any(name) : 0;

	if (error)
		errno = -error;
	return error != 0;
}

/* Like fails(), for a query about a descriptor. Counts the failure. */
static bool is_unseen(const char *name)
{
	const bool failed = fails(name);

	kernel_faults.unseen += failed;
	return failed;
}

/*
 * The system calls that the tested code makes by syscall(); another one aborts.
 * Those without a name never fail: they close, return numbers, or send signals.
 */
static const struct call {
	long number;
	size_t arguments;
	const char *name;
} calls[] = {
	{ SYS_openat, 4, "openat" },
	{ SYS_getdents64, 3, "getdents64" },
	{ SYS_sched_getaffinity, 3, "sched_getaffinity" },
	{ SYS_read, 3, "read(2)" },
	{ SYS_pread64, 4, "pread64" },
	{ SYS_perf_event_open, 5, "perf_event_open" },
	{ SYS_close, 1, NULL },
	{ SYS_gettid, 0, NULL },
	{ SYS_prctl, 5, "prctl" },
	{ SYS_rt_tgsigqueueinfo, 4, NULL },
};

static const struct call *find_call(long number)
{
	size_t i = 0;

	while (i < sizeof(calls) / sizeof(calls[0]) &&
	       calls[i].number != number)
		i++;
	if (i == sizeof(calls) / sizeof(calls[0]))
		abort(); /* a system call that is missing in the table */
	return &calls[i];
}

WRAP(long, syscall, long number, ...)
{
	const struct call *const call = find_call(number);
	long argument[6] = { 0 };
	va_list list;
	size_t i;

	if (call->name && fails(call->name))
		return -1;
	if (number == SYS_sched_getaffinity && kernel_faults.no_affinity) {
		errno = kernel_faults.no_affinity;
		return -1;
	}
	va_start(list, number);
	for (i = 0; i < call->arguments; i++)
		argument[i] = va_arg(list, long);
	va_end(list);
	return __real_syscall(number, argument[0], argument[1], argument[2],
			      argument[3], argument[4], argument[5]);
}

WRAP(int, fstat, int fd, struct stat *status)
{
	return is_unseen("fstat") ? -1 : __real_fstat(fd, status);
}

WRAP(int, stat, const char *path, struct stat *status)
{
	return fails("stat") ? -1 : __real_stat(path, status);
}

WRAP(int, fallocate, int fd, int mode, off_t from, off_t size)
{
	if (fails("fallocate"))
		return -1;
	return __real_fallocate(fd, mode, from, size);
}

WRAP(int, madvise, void *memory, size_t size, int advice)
{
	return fails("madvise") ? -1 : __real_madvise(memory, size, advice);
}

WRAP(void *, mmap, void *at, size_t size, int prot, int flags, int fd,
     off_t from)
{
	return fails("mmap") ? MAP_FAILED
			     : __real_mmap(at, size, prot, flags, fd, from);
}

WRAP(ssize_t, pread, int fd, void *to, size_t size, off_t from)
{
	return fails("pread") ? -1 : __real_pread(fd, to, size, from);
}

WRAP(int, unlink, const char *path)
{
	return fails("unlink") ? -1 : __real_unlink(path);
}

WRAP(int, ftruncate, int fd, off_t size)
{
	return fails("ftruncate") ? -1 : __real_ftruncate(fd, size);
}

WRAP(int, getrlimit, int resource, struct rlimit *limit)
{
	return fails("getrlimit") ? -1 : __real_getrlimit(resource, limit);
}

/*
 * F_GETFD never fails: only the test harness checks whether a descriptor is
 * open.
 */
WRAP(int, fcntl, int fd, int command, ...)
{
	va_list list;
	int argument;

	if (command == F_GETFD)
		return __real_fcntl(fd, command);
	if (fails("fcntl"))
		return -1;
	if (command == F_GETFL)
		return __real_fcntl(fd, command);
	va_start(list, command);
	argument = va_arg(list, int);
	va_end(list);
	return __real_fcntl(fd, command, argument);
}

WRAP(int, ioctl, int fd, unsigned long request, ...)
{
	va_list list;
	long argument;

	if (request == PERF_EVENT_IOC_ID ? is_unseen("PERF_EVENT_IOC_ID")
					 : fails("ioctl"))
		return -1;
	va_start(list, request);
	argument = va_arg(list, long);
	va_end(list);
	return __real_ioctl(fd, request, argument);
}

WRAP(int, sigaction, int number, const struct sigaction *action,
     struct sigaction *before)
{
	return fails("sigaction") ? -1
				  : __real_sigaction(number, action, before);
}

/*
 * Never fails under AddressSanitizer, which calls it in each thread and does
 * not accept an error.
 */
WRAP(int, sigaltstack, const stack_t *stack, stack_t *before)
{
	return !SANITIZED && fails("sigaltstack")
		       ? -1
		       : __real_sigaltstack(stack, before);
}

WRAP(int, uname, struct utsname *name)
{
	return fails("uname") ? -1 : __real_uname(name);
}

WRAP(int, sched_getcpu, void)
{
	return fails("sched_getcpu") ? -1 : __real_sched_getcpu();
}

WRAP(int, fflush, FILE *stream)
{
	return fails("fflush") ? EOF : __real_fflush(stream);
}

WRAP(int, pthread_atfork, void (*prepare)(void), void (*parent)(void),
     void (*child)(void))
{
	return fails("pthread_atfork")
		       ? ENOMEM
		       : __real_pthread_atfork(prepare, parent, child);
}
