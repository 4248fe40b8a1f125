/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "platform/kernel.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#ifndef MADV_WIPEONFORK /* <asm-generic/mman-common.h>, Linux 4.14 */
#define MADV_WIPEONFORK 18
#endif

/* FD_SETSIZE in all Linux C libraries. */
#define FD_LEAST 1024

unsigned long selfmon_kernel_fd_limit(void)
{
	struct rlimit limit;

	return getrlimit(RLIMIT_NOFILE, &limit) ? ULONG_MAX : limit.rlim_cur;
}

/*
 * Low numbers stay free for the program: select(2) cannot wait for high
 * numbers, and a program that closes all descriptors expects a low number next.
 */
int selfmon_kernel_raise(int fd)
{
	const unsigned long half = selfmon_kernel_fd_limit() / 2;
	const int least = half < FD_LEAST ? (int)half : FD_LEAST;
	int raised;

	if (fd >= least)
		return fd;
	raised = fcntl(fd, F_DUPFD_CLOEXEC, least);
	if (raised < 0)
		return fd;
	selfmon_kernel_close(fd);
	return raised;
}

size_t selfmon_kernel_page_size(void)
{
	return (size_t)sysconf(_SC_PAGESIZE);
}

long selfmon_kernel_cpus(void)
{
	return sysconf(_SC_NPROCESSORS_ONLN);
}

int selfmon_kernel_map_page(int fd, const struct selfmon_page **page)
{
	void *map = mmap(NULL, selfmon_kernel_page_size(), PROT_READ,
			 MAP_SHARED | MAP_POPULATE, fd, 0);

	if (map == MAP_FAILED)
		return -errno;
	*page = map;
	return 0;
}

void selfmon_kernel_unmap_page(const struct selfmon_page *page)
{
	munmap((void *)(uintptr_t)page, selfmon_kernel_page_size());
}

int selfmon_kernel_enable_group(int fd)
{
	return ioctl(fd, PERF_EVENT_IOC_ENABLE, PERF_IOC_FLAG_GROUP) ? -errno
								     : 0;
}

void selfmon_kernel_disable_group(int fd)
{
	const int before = errno;

	ioctl(fd, PERF_EVENT_IOC_DISABLE, PERF_IOC_FLAG_GROUP);
	errno = before;
}

/*
 * PERF_EVENT_IOC_ID exists since Linux 3.12. Files of other drivers reject this
 * ioctl number.
 */
uint64_t selfmon_kernel_event_id(int fd)
{
	const int before = errno;
	uint64_t id = 0;

	if (ioctl(fd, PERF_EVENT_IOC_ID, &id))
		id = errno == EPERM || errno == EACCES || errno == ENOSYS
			     ? SELFMON_EVENT_UNKNOWN
			     : 0;
	errno = before;
	return id;
}

/*
 * The next three functions use syscall(2), because open(), read() and close()
 * are cancellation points. A region must not end its thread, especially while
 * the process lock is held.
 */
ssize_t selfmon_kernel_read(int fd, void *buffer, size_t size)
{
	const int before = errno;
	ssize_t n;

	do {
		n = syscall(SYS_read, fd, buffer, size);
	} while (n < 0 && errno == EINTR);
	if (n < 0)
		n = -errno;
	/* Restores the program's errno, since a visit may be anywhere. */
	errno = before;
	return n;
}

void selfmon_kernel_close(int fd)
{
	/* On Linux the descriptor is closed even after EINTR. */
	syscall(SYS_close, fd);
}

int selfmon_kernel_open(const char *path, int flags)
{
	long fd;

	do {
		fd = syscall(SYS_openat, AT_FDCWD, path,
			     flags | O_CLOEXEC | O_NOCTTY, 0600);
	} while (fd < 0 && errno == EINTR);
	return fd < 0 ? -errno : (int)fd;
}

ssize_t selfmon_kernel_read_file(const char *path, char *buffer, size_t size)
{
	const int fd = selfmon_kernel_open(path, O_RDONLY);
	size_t length = 0;
	ssize_t n;

	if (fd < 0)
		return fd;
	do {
		n = selfmon_kernel_read(fd, buffer + length, size - length);
		if (n > 0)
			length += (size_t)n;
	} while (n > 0 && length < size);
	selfmon_kernel_close(fd);
	if (n < 0)
		return n;
	if (length == size)
		return -EFBIG;
	while (length > 0 && buffer[length - 1] == '\n')
		length--;
	buffer[length] = '\0';
	return (ssize_t)length;
}

int selfmon_kernel_map_memory(size_t size, bool wipe, void **memory)
{
	void *map = mmap(NULL, size, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (map == MAP_FAILED)
		return -errno;
	if (wipe && madvise(map, size, MADV_WIPEONFORK)) {
		const int error = errno;

		munmap(map, size);
		return -error;
	}
	*memory = map;
	return 0;
}

void selfmon_kernel_unmap_memory(void *memory, size_t size)
{
	munmap(memory, size);
}

int selfmon_kernel_keep_from_child(void *memory, size_t size)
{
	return madvise(memory, size, MADV_DONTFORK) ? -errno : 0;
}

static uint64_t clock_ns(clockid_t id)
{
	struct timespec now = { 0, 0 };

	clock_gettime(id, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

uint64_t selfmon_kernel_monotonic_raw_ns(void)
{
	return clock_ns(CLOCK_MONOTONIC_RAW);
}

uint64_t selfmon_kernel_monotonic_ns(void)
{
	return clock_ns(CLOCK_MONOTONIC);
}

uint64_t selfmon_kernel_process_cpu_ns(void)
{
	return clock_ns(CLOCK_PROCESS_CPUTIME_ID);
}

uint64_t selfmon_kernel_thread_cpu_ns(void)
{
	return clock_ns(CLOCK_THREAD_CPUTIME_ID);
}

void selfmon_kernel_thread_usage(uint64_t *cpu_ns, uint64_t *preempted,
				 uint64_t *blocked)
{
	struct rusage usage = { 0 };

	getrusage(RUSAGE_THREAD, &usage);
	*preempted = (uint64_t)usage.ru_nivcsw;
	*blocked = (uint64_t)usage.ru_nvcsw;
	*cpu_ns = selfmon_kernel_thread_cpu_ns();
}

void selfmon_kernel_sleep_ns(uint64_t ns)
{
	const struct timespec time = {
		.tv_sec = (time_t)(ns / 1000000000u),
		.tv_nsec = (long)(ns % 1000000000u),
	};

	nanosleep(&time, NULL);
}

void selfmon_kernel_yield(void)
{
	sched_yield();
}

void selfmon_kernel_release(char *buffer, size_t size)
{
	struct utsname name;

	if (uname(&name))
		snprintf(buffer, size, "unknown kernel");
	else
		snprintf(buffer, size, "%.30s %.64s %.30s", name.sysname,
			 name.release, name.machine);
}

unsigned int selfmon_kernel_version(void)
{
	struct utsname name;
	unsigned int major = 0, minor = 0;

	if (uname(&name) || sscanf(name.release, "%u.%u", &major, &minor) != 2)
		return 0;
	return major * 1000 + minor;
}

_Static_assert(sizeof(sigset_t) <= sizeof(((struct selfmon_signals *)0)->word),
	       "struct selfmon_signals is to hold a sigset_t");

void selfmon_kernel_block_signals(struct selfmon_signals *before)
{
	static const int fault[] = { SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP,
				     SIGSYS };
	sigset_t all;
	size_t i;

	before->error = errno;
	sigfillset(&all);
	for (i = 0; i < sizeof(fault) / sizeof(fault[0]); i++)
		sigdelset(&all, fault[i]);
	pthread_sigmask(SIG_SETMASK, &all, (sigset_t *)(void *)before->word);
}

void selfmon_kernel_restore_signals(const struct selfmon_signals *before)
{
	errno = before->error;
	pthread_sigmask(SIG_SETMASK,
			(const sigset_t *)(const void *)before->word, NULL);
}

bool selfmon_kernel_on_signal_stack(void)
{
	stack_t stack;

	return !sigaltstack(NULL, &stack) && stack.ss_flags & SS_ONSTACK;
}

bool selfmon_kernel_is_secure(void)
{
	return getauxval(AT_SECURE) != 0;
}

pid_t selfmon_kernel_pid(void)
{
	return getpid();
}

pid_t selfmon_kernel_tid(void)
{
	return (pid_t)syscall(SYS_gettid);
}

void selfmon_kernel_thread_name(char name[SELFMON_THREAD_NAME])
{
	if (syscall(SYS_prctl, PR_GET_NAME, name, 0, 0, 0))
		name[0] = '\0';
}

uint32_t selfmon_kernel_cpu(void)
{
	return (uint32_t)sched_getcpu();
}

int selfmon_kernel_allowed_cpus(uint64_t *bits, size_t words)
{
	long size;

	memset(bits, 0, words * sizeof(*bits));
	size = syscall(SYS_sched_getaffinity, 0, words * sizeof(*bits), bits);
	return size < 0 ? -errno : 0;
}

uint64_t selfmon_kernel_boottime_ns(void)
{
	return clock_ns(CLOCK_BOOTTIME);
}

uint64_t selfmon_kernel_realtime_ns(void)
{
	return clock_ns(CLOCK_REALTIME);
}

