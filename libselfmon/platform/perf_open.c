/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "platform/perf_open.h"

#include <errno.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "platform/kernel.h"

/* PERF_ATTR_SIZE_VER0: the smallest size a kernel accepts. */
#define ATTR_SIZE_MIN 64
/* Index of config3, which follows PERF_ATTR_SIZE_VER7. */
#define CONFIG3_WORD (128 / sizeof(uint64_t))
/* Word and bit of attr.inherit_thread (Linux 5.13), for older headers. */
#define FLAGS_WORD (offsetof(struct perf_event_attr, read_format) /            \
		    sizeof(uint64_t) + 1)
#define FLAG_INHERIT_THREAD (UINT64_C(1) << 35)

static int perf_open_once(struct perf_event_attr *attr, pid_t tid,
			  int group_fd)
{
	long fd;

	do {
		fd = syscall(SYS_perf_event_open, attr, tid, -1, group_fd,
			     PERF_FLAG_FD_CLOEXEC);
	} while (fd < 0 && errno == EINTR);
	return fd < 0 ? -errno : (int)fd;
}

static int open_narrow(struct perf_event_attr *attr, pid_t tid, int group_fd)
{
	const size_t size = sizeof(*attr);
	int fd;

	attr->size = (uint32_t)size;
	fd = perf_open_once(attr, tid, group_fd);
	if (fd == -E2BIG && attr->size >= ATTR_SIZE_MIN && attr->size < size) {
		memset((char *)attr + attr->size, 0, size - attr->size);
		fd = perf_open_once(attr, tid, group_fd);
	}
	return fd;
}

static int open_wide(const struct perf_event_attr *attr, uint64_t config3,
		     pid_t tid, int group_fd)
{
	union {
		struct perf_event_attr attr;
		uint64_t word[CONFIG3_WORD + 1];
	} wide;

	memset(&wide, 0, sizeof(wide));
	wide.attr = *attr;
	wide.attr.size = sizeof(wide);
	wide.word[CONFIG3_WORD] = config3;
	return perf_open_once(&wide.attr, tid, group_fd);
}

int selfmon_kernel_perf_open(struct perf_event_attr *attr, int group_fd,
			     bool keep)
{
	const int fd = open_narrow(attr, 0, group_fd);

	return fd >= 0 && keep ? selfmon_kernel_raise(fd) : fd;
}

int selfmon_kernel_perf_open_wide(const struct perf_event_attr *attr,
				  uint64_t config3, int group_fd, bool keep)
{
	const int fd = open_wide(attr, config3, 0, group_fd);

	return fd >= 0 && keep ? selfmon_kernel_raise(fd) : fd;
}

static void inherit(struct perf_event_attr *attr, bool processes)
{
	union {
		struct perf_event_attr attr;
		uint64_t word[sizeof(*attr) / sizeof(uint64_t)];
	} flags;

	flags.attr = *attr;
	flags.attr.inherit = 1;
	if (!processes)
		flags.word[FLAGS_WORD] |= FLAG_INHERIT_THREAD;
	*attr = flags.attr;
}

int selfmon_kernel_perf_open_thread(struct perf_event_attr *attr,
				    uint64_t config3, pid_t tid, int group_fd,
				    bool processes)
{
	int fd;

	inherit(attr, processes);
	fd = config3 ? open_wide(attr, config3, tid, group_fd)
		     : open_narrow(attr, tid, group_fd);
	return fd >= 0 ? selfmon_kernel_raise(fd) : fd;
}

uint64_t selfmon_kernel_user_read_bits(void)
{
	return SELFMON_ARCH_ASK_LONG | SELFMON_ARCH_ASK_USER;
}
