/* SPDX-License-Identifier: MIT */
/*
 * Every system call of the library. errno becomes -errno here and nowhere
 * else. Tests replace these functions one by one (ld --wrap) to make each
 * call fail in turn.
 */
#ifndef SELFMON_PLATFORM_KERNEL_H
#define SELFMON_PLATFORM_KERNEL_H

#include <linux/perf_event.h>
#include <stddef.h>
#include <stdint.h>
#include <stdbool.h>
#include <sys/types.h>

#include <selfmon/page.h>

/*
 * Opens an event of the calling thread on any CPU, close-on-exec. On E2BIG
 * the kernel has written the size it knows into attr->size: what lies beyond
 * is cleared and the call repeated once. EINTR is repeated.
 * Returns the descriptor, or -errno. One that the caller will keep is from 1024
 * or half of RLIMIT_NOFILE on where such a one is free.
 */
int selfmon_kernel_perf_open(struct perf_event_attr *attr, int group_fd,
			     bool keep);

/*
 * The same with a config3 (Linux 6.3), which the headers that this is compiled
 * with may not have. -E2BIG: the kernel does not; nothing is left out then.
 */
int selfmon_kernel_perf_open_wide(const struct perf_event_attr *attr,
				  uint64_t config3, int group_fd, bool keep);

/*
 * Opens an event of a thread of this process on any CPU, which the threads that
 * it starts from then on inherit, and with `processes` the processes that it
 * forks. attr->inherit is set here; else as the two functions above, with
 * config3 or without (0). -EINVAL without `processes`: also where the kernel
 * cannot tell threads from processes (before 5.13). -ESRCH: no such thread.
 */
int selfmon_kernel_perf_open_thread(struct perf_event_attr *attr,
				    uint64_t config3, pid_t tid, int group_fd,
				    bool processes);

/* Bits of attr.config1 that ask this machine's driver for user reads. */
uint64_t selfmon_kernel_user_read_bits(void);

/* Maps one event's page, read-only and populated. 0 or -errno. */
int selfmon_kernel_map_page(int fd, const struct selfmon_page **page);
void selfmon_kernel_unmap_page(const struct selfmon_page *page);

/* ioctl PERF_EVENT_IOC_ENABLE with PERF_IOC_FLAG_GROUP. 0 or -errno. */
int selfmon_kernel_enable_group(int fd);

/* The same with PERF_EVENT_IOC_DISABLE, as far as the kernel allows it. */
void selfmon_kernel_disable_group(int fd);

/*
 * The kernel's number of the event behind a descriptor, unique while the
 * system runs; 0: this is no event; SELFMON_EVENT_UNKNOWN: nobody may ask, as
 * under a filter of system calls.
 */
#define SELFMON_EVENT_UNKNOWN UINT64_MAX
uint64_t selfmon_kernel_event_id(int fd);

/*
 * Opens a file, close-on-exec and not as a terminal of the process's own. No
 * cancellation point; EINTR is repeated. What is made is its owner's alone.
 * flags: O_*. Returns the descriptor or -errno.
 */
int selfmon_kernel_open(const char *path, int flags);

/* read(2), EINTR repeated: bytes read (0: end of file) or -errno. */
ssize_t selfmon_kernel_read(int fd, void *buffer, size_t size);

void selfmon_kernel_close(int fd);

/* The same file at a number out of the host's way, if one is free. */
int selfmon_kernel_raise(int fd);

/* RLIMIT_NOFILE, the soft limit. */
unsigned long selfmon_kernel_fd_limit(void);

/*
 * Reads a whole small file (sysfs, procfs) as a string, without the newlines
 * at its end. Returns its length or -errno; -EFBIG if it does not fit.
 */
ssize_t selfmon_kernel_read_file(const char *path, char *buffer, size_t size);

/*
 * Zeroed private pages, wiped in a forked child if wipe is true (needs
 * kernel 4.14). 0, or -errno: -EINVAL where the kernel cannot wipe.
 */
int selfmon_kernel_map_memory(size_t size, bool wipe, void **memory);
void selfmon_kernel_unmap_memory(void *memory, size_t size);

/* A forked child does not have this memory. 0 or -errno. */
int selfmon_kernel_keep_from_child(void *memory, size_t size);

/* CLOCK_MONOTONIC_RAW and CLOCK_MONOTONIC in nanoseconds. */
uint64_t selfmon_kernel_monotonic_raw_ns(void);
uint64_t selfmon_kernel_monotonic_ns(void);

/* CPU time of all threads, and of the calling one, in nanoseconds. */
uint64_t selfmon_kernel_process_cpu_ns(void);
uint64_t selfmon_kernel_thread_cpu_ns(void);

/*
 * The calling thread's CPU time and context switches. The CPU time is read
 * last, so that a switch before it is in the numbers as well. 0: refused.
 */
void selfmon_kernel_thread_usage(uint64_t *cpu_ns, uint64_t *preempted,
				 uint64_t *blocked);

/* Sleeps; may return early on a signal. */
void selfmon_kernel_sleep_ns(uint64_t ns);

void selfmon_kernel_yield(void);

/* Gives "Linux 6.1.0-28-amd64 x86_64". */
void selfmon_kernel_release(char *buffer, size_t size);

/* major * 1000 + minor of the running kernel: 5015 is 5.15. */
unsigned int selfmon_kernel_version(void);

/*
 * What the program had. A sigset_t, which strict C11 does not know, fits in;
 * errno, which what is done meanwhile may change.
 */
struct selfmon_signals {
	uint64_t word[16];
	int error;
};

/*
 * Keeps the calling thread's signal handlers out, but for faults, which must
 * not be blocked; before receives what to restore, errno too: a region begins
 * and ends in the middle of a program that may look at it next.
 */
void selfmon_kernel_block_signals(struct selfmon_signals *before);
void selfmon_kernel_restore_signals(const struct selfmon_signals *before);

/* Does the caller run on a stack of sigaltstack(2)? */
bool selfmon_kernel_on_signal_stack(void);

/* Does the program run with privileges that its caller has not (setuid)? */
bool selfmon_kernel_is_secure(void);

pid_t selfmon_kernel_pid(void);
pid_t selfmon_kernel_tid(void);
/* The calling thread's name as the kernel has it; "" if there is none. */
#define SELFMON_THREAD_NAME 16
void selfmon_kernel_thread_name(char name[SELFMON_THREAD_NAME]);
/* Does this process have no thread of this number any more? */
bool selfmon_kernel_thread_is_gone(pid_t pid, pid_t tid);

/* The CPU that runs the calling thread; UINT32_MAX where it is not told. */
uint32_t selfmon_kernel_cpu(void);

/*
 * The CPUs that the calling thread may run on, a bit each. 0 or -errno:
 * -EINVAL where the kernel knows more of them.
 */
int selfmon_kernel_allowed_cpus(uint64_t *bits, size_t words);

/* CLOCK_BOOTTIME in nanoseconds: goes on while the machine is suspended. */
uint64_t selfmon_kernel_boottime_ns(void);

#endif
