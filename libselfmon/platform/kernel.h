/* SPDX-License-Identifier: MIT */
/*
 * Most system calls of the library. The functions return -errno if they can
 * fail. Tests replace them one by one (ld --wrap) to make each call fail in
 * turn.
 */
#ifndef SELFMON_PLATFORM_KERNEL_H
#define SELFMON_PLATFORM_KERNEL_H

#include <linux/perf_event.h>
#include <stddef.h>
#include <stdint.h>
#include <stdbool.h>
#include <sys/types.h>

#include <selfmon/page.h>

/* Maps one event's page, read-only and populated. Returns 0 or -errno. */
int selfmon_kernel_map_page(int fd, const struct selfmon_page **page);
void selfmon_kernel_unmap_page(const struct selfmon_page *page);

/*
 * Enables a whole group by ioctl PERF_EVENT_IOC_ENABLE with
 * PERF_IOC_FLAG_GROUP. Returns 0 or -errno.
 */
int selfmon_kernel_enable_group(int fd);

/* Disables a whole group by PERF_EVENT_IOC_DISABLE. Ignores errors. */
void selfmon_kernel_disable_group(int fd);

/*
 * Returns the kernel's id of the descriptor's event, which is unique until the
 * next boot. Returns 0 if the descriptor is not an event. Returns
 * SELFMON_EVENT_UNKNOWN if the query is refused, for example by a seccomp
 * filter.
 */
#define SELFMON_EVENT_UNKNOWN UINT64_MAX
uint64_t selfmon_kernel_event_id(int fd);

/*
 * Opens a file with O_CLOEXEC and O_NOCTTY. New files have mode 0600. flags are
 * O_*. Not a cancellation point. Repeats after EINTR. Returns the descriptor or
 * -errno.
 */
int selfmon_kernel_open(const char *path, int flags);

/*
 * Calls read(2), and repeats it after EINTR. Returns the number of bytes (0 at
 * the end of the file) or -errno.
 */
ssize_t selfmon_kernel_read(int fd, void *buffer, size_t size);

void selfmon_kernel_close(int fd);

/*
 * Moves an open file to a high descriptor number, if one is free. Returns the
 * descriptor, new or old.
 */
int selfmon_kernel_raise(int fd);

size_t selfmon_kernel_page_size(void);
/* Returns the number of online CPUs. */
long selfmon_kernel_cpus(void);

/* Returns the soft limit RLIMIT_NOFILE; ULONG_MAX if unknown. */
unsigned long selfmon_kernel_fd_limit(void);

/*
 * Reads a whole small file (sysfs, procfs) as a string, without trailing
 * newlines. Returns its length or -errno; -EFBIG if it does not fit: the buffer
 * is then full and not terminated.
 */
ssize_t selfmon_kernel_read_file(const char *path, char *buffer, size_t size);

/*
 * Maps zeroed private pages. If wipe is true, the kernel wipes them in a forked
 * child (since 4.14). Returns 0, or -errno: -EINVAL if the kernel cannot wipe.
 */
int selfmon_kernel_map_memory(size_t size, bool wipe, void **memory);
void selfmon_kernel_unmap_memory(void *memory, size_t size);

/* Excludes this memory from forked children. Returns 0 or -errno. */
int selfmon_kernel_keep_from_child(void *memory, size_t size);

/* Return CLOCK_MONOTONIC_RAW and CLOCK_MONOTONIC in nanoseconds. */
uint64_t selfmon_kernel_monotonic_raw_ns(void);
uint64_t selfmon_kernel_monotonic_ns(void);

/*
 * Return the CPU time of the process and of the calling thread, in nanoseconds.
 */
uint64_t selfmon_kernel_process_cpu_ns(void);
uint64_t selfmon_kernel_thread_cpu_ns(void);

/*
 * Returns the calling thread's CPU time and numbers of context switches; 0 if
 * the kernel refuses. Reads the CPU time last, so all counted switches happened
 * before it was read.
 */
void selfmon_kernel_thread_usage(uint64_t *cpu_ns, uint64_t *preempted,
				 uint64_t *blocked);

/* Sleeps, possibly for less time if a signal arrives. */
void selfmon_kernel_sleep_ns(uint64_t ns);

void selfmon_kernel_yield(void);

/*
 * Writes the system's name, release and machine, such as "Linux 6.1.0-28-amd64
 * x86_64".
 */
void selfmon_kernel_release(char *buffer, size_t size);

/*
 * Returns major * 1000 + minor of the running kernel, such as 5015 for 5.15.
 * Returns 0 if unknown.
 */
unsigned int selfmon_kernel_version(void);

/*
 * The program's signal mask and errno, saved while the library runs. The mask
 * is stored as words because strict C11 has no sigset_t.
 */
struct selfmon_signals {
	uint64_t word[16];
	int error;
};

/*
 * Blocks the calling thread's signals, except those of faults, which must not
 * be blocked. *before receives what selfmon_kernel_restore_signals() restores,
 * including errno: the program may read errno directly after a region.
 */
void selfmon_kernel_block_signals(struct selfmon_signals *before);
void selfmon_kernel_restore_signals(const struct selfmon_signals *before);

/* Returns true if the caller runs on a stack of sigaltstack(2). */
bool selfmon_kernel_on_signal_stack(void);

/*
 * Returns true if the program has more privileges than the user who started it
 * (setuid).
 */
bool selfmon_kernel_is_secure(void);

pid_t selfmon_kernel_pid(void);
pid_t selfmon_kernel_tid(void);
/* Copies the calling thread's name from the kernel, or "" if that fails. */
#define SELFMON_THREAD_NAME 16
void selfmon_kernel_thread_name(char name[SELFMON_THREAD_NAME]);

/* Returns the CPU that runs the calling thread; UINT32_MAX if unknown. */
uint32_t selfmon_kernel_cpu(void);

/*
 * Sets a bit for each CPU on which the calling thread may run. Returns 0 or
 * -errno: -EINVAL if the kernel has more CPUs than bits.
 */
int selfmon_kernel_allowed_cpus(uint64_t *bits, size_t words);

/*
 * Returns CLOCK_BOOTTIME in nanoseconds; it continues while the machine is
 * suspended.
 */
uint64_t selfmon_kernel_boottime_ns(void);
uint64_t selfmon_kernel_realtime_ns(void);

#endif
