/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "hw/tool.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

void tool_attr(struct perf_event_attr *attr, uint32_t type, uint64_t config)
{
	memset(attr, 0, sizeof(*attr));
	attr->size = sizeof(*attr);
	attr->type = type;
	attr->config = config;
	attr->exclude_kernel = 1;
	attr->exclude_hv = 1;
	attr->disabled = 1;
	attr->read_format =
		PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
}

int tool_try(struct perf_event_attr *attr, pid_t pid, int cpu, int group)
{
	const long fd = syscall(SYS_perf_event_open, attr, pid, cpu, group,
				(unsigned long)PERF_FLAG_FD_CLOEXEC);

	return fd < 0 ? -errno : (int)fd;
}

int tool_open(struct perf_event_attr *attr, pid_t pid, int cpu, int group)
{
	const int fd = tool_try(attr, pid, cpu, group);

	if (fd < 0)
		cr_skip_test("perf_event_open of type %u, config %#llx: %s",
			     attr->type, (unsigned long long)attr->config,
			     strerror(-fd));
	return fd;
}

void tool_enable(int fd)
{
	cr_assert_eq(ioctl(fd, PERF_EVENT_IOC_ENABLE, 0), 0);
}

void tool_disable(int fd)
{
	cr_assert_eq(ioctl(fd, PERF_EVENT_IOC_DISABLE, 0), 0);
}

struct tool_count tool_read(int fd)
{
	struct tool_count now;

	cr_assert_eq(read(fd, &now, sizeof(now)), (ssize_t)sizeof(now));
	return now;
}

const struct selfmon_page *tool_map(int fd)
{
	const void *page = mmap(NULL, (size_t)sysconf(_SC_PAGESIZE), PROT_READ,
				MAP_SHARED | MAP_POPULATE, fd, 0);

	cr_assert(page != MAP_FAILED, "mmap: %s", strerror(errno));
	return page;
}

void tool_signal(int fd, void (*handler)(int))
{
	struct f_owner_ex owner = { .type = F_OWNER_TID };
	struct sigaction action = { .sa_handler = handler,
				    .sa_flags = SA_RESTART };

	owner.pid = (pid_t)syscall(SYS_gettid);
	cr_assert_eq(sigaction(SIGIO, &action, NULL), 0);
	cr_assert_eq(fcntl(fd, F_SETOWN_EX, &owner), 0);
	cr_assert_eq(fcntl(fd, F_SETFL, O_ASYNC), 0);
}

#define TWINS 3

void tool_require_twins(void)
{
	struct perf_event_attr attr;
	int fd[TWINS], i;
	bool all = true;

	for (i = 0; i < TWINS; i++) {
		tool_attr(&attr, PERF_TYPE_HARDWARE,
			  PERF_COUNT_HW_INSTRUCTIONS);
		fd[i] = tool_open(&attr, 0, -1, -1);
		tool_enable(fd[i]);
	}
	hw_loop(1000);
	for (i = 0; i < TWINS; i++) {
		const struct tool_count count = tool_read(fd[i]);

		all = all && (count.value > 0 || count.running_ns == 0);
		close(fd[i]);
	}
	if (!all)
		cr_skip_test("only one of several equal events counts here");
}

#define COPIES_MAX 16
#define COPIES_LOOP 10000

/* The layout of PERF_FORMAT_GROUP. */
struct copies {
	uint64_t count, enabled_ns, running_ns, value[COPIES_MAX];
};

/* Opens a group of copies of `instructions`, as large as the kernel allows. */
static size_t open_copies(int fd[COPIES_MAX])
{
	struct perf_event_attr attr;
	size_t i;

	for (i = 0; i < COPIES_MAX; i++) {
		tool_attr(&attr, PERF_TYPE_HARDWARE,
			  PERF_COUNT_HW_INSTRUCTIONS);
		attr.disabled = i == 0;
		attr.read_format |= PERF_FORMAT_GROUP;
		fd[i] = tool_try(&attr, 0, -1, i ? fd[0] : -1);
		if (fd[i] < 0)
			break;
	}
	return i;
}

void tool_require_granted(void)
{
	struct copies now = { .count = 0 };
	size_t copies, i, moved = 0;
	int fd[COPIES_MAX];

	hw_require_pmu();
	copies = open_copies(fd);
	cr_assert_gt(copies, 0);
	tool_enable(fd[0]);
	hw_loop(COPIES_LOOP);
	cr_assert_gt(read(fd[0], &now, sizeof(now)), 0);
	for (i = 0; i < copies; i++) {
		moved += now.value[i] >= COPIES_LOOP;
		close(fd[i]);
	}
	if (now.running_ns > 0 && moved > 1 && moved < copies)
		cr_skip_test("of %zu events that run at once %zu count: the "
			     "hypervisor grants fewer counters than it offers",
			     copies, moved);
}

int tool_open_truth(void)
{
	struct perf_event_attr attr;
	int fd;

	hw_require_pmu();
	tool_require_twins();
	tool_attr(&attr, PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS);
	attr.pinned = 1;
	fd = tool_open(&attr, 0, -1, -1);
	tool_enable(fd);
	return fd;
}

void tool_sample_fast(void)
{
	if (!hw_guest())
		return;
	/*
	 * The kernel refuses to change the rate while this limit is 0
	 * (disabled).
	 */
	hw_write_file("/proc/sys/kernel/perf_cpu_time_max_percent", "25");
	hw_write_file("/proc/sys/kernel/perf_event_max_sample_rate",
		      "10000000");
	hw_write_file("/proc/sys/kernel/perf_cpu_time_max_percent", "0");
}
