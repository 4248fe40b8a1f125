/* SPDX-License-Identifier: MIT */
/* Implements kernel_faults.h. ld --wrap prescribes the names. */
#define _GNU_SOURCE
#include "fault/kernel_faults.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <sys/mman.h>

#include "fault/any.h"
#include "platform/kernel.h"

#define FDS 4096
#define PAGES 16
#define NAMES 512
#define PAGE_SIZE 4096

int __real_selfmon_kernel_perf_open(struct perf_event_attr *attr, int group,
				    bool keep);
int __real_selfmon_kernel_map_page(int fd, const struct selfmon_page **page);
uint64_t __wrap_selfmon_kernel_user_read_bits(void);
void __real_selfmon_kernel_unmap_page(const struct selfmon_page *page);
int __real_selfmon_kernel_enable_group(int fd);
ssize_t __real_selfmon_kernel_read(int fd, void *buffer, size_t size);
void __real_selfmon_kernel_close(int fd);
ssize_t __real_selfmon_kernel_read_file(const char *path, char *buffer,
					size_t size);
int __real_selfmon_kernel_map_memory(size_t size, bool wipe, void **memory);
uint64_t __real_selfmon_kernel_monotonic_raw_ns(void);
uint64_t __wrap_selfmon_kernel_monotonic_raw_ns(void);
uint64_t __real_selfmon_kernel_thread_cpu_ns(void);
uint64_t __wrap_selfmon_kernel_thread_cpu_ns(void);

int __wrap_selfmon_kernel_perf_open(struct perf_event_attr *attr, int group,
				    bool keep);
int __wrap_selfmon_kernel_perf_open_wide(const struct perf_event_attr *attr,
					 uint64_t config3, int group,
					 bool keep);
int __real_selfmon_kernel_perf_open_thread(struct perf_event_attr *attr,
					   uint64_t config3, pid_t tid,
					   int group, bool processes);
int __wrap_selfmon_kernel_perf_open_thread(struct perf_event_attr *attr,
					   uint64_t config3, pid_t tid,
					   int group, bool processes);
int __wrap_selfmon_kernel_map_page(int fd, const struct selfmon_page **page);
void __wrap_selfmon_kernel_unmap_page(const struct selfmon_page *page);
int __wrap_selfmon_kernel_enable_group(int fd);
ssize_t __wrap_selfmon_kernel_read(int fd, void *buffer, size_t size);
void __wrap_selfmon_kernel_close(int fd);
ssize_t __wrap_selfmon_kernel_read_file(const char *path, char *buffer,
					size_t size);
int __wrap_selfmon_kernel_map_memory(size_t size, bool wipe, void **memory);
bool __wrap_selfmon_cpuid_may_be_virtual(void);

struct kernel_faults kernel_faults;

/*
 * By descriptor. For a hardware event that leads a group: number of hardware
 * events in the group. For other hardware events: 1. For other files: 0.
 */
static unsigned int group_size[FDS];
/* By descriptor: config of the event as the caller requested it. */
static uint64_t config_of[FDS];
static bool leads[FDS];
static bool is_breakpoint[FDS];

/*
 * The library gets a page of the test in place of the kernel's page. The
 * kernel's page stays mapped, because the mapping keeps the event alive.
 */
static struct {
	struct selfmon_page *shown;
	const struct selfmon_page *real;
	uint64_t config;
} maps[PAGES];

void kernel_faults_clear(void)
{
	memset(&kernel_faults, 0, sizeof(kernel_faults));
	kernel_faults.counters = UINT_MAX;
	kernel_faults.largest = UINT_MAX;
	kernel_faults.granted = UINT_MAX;
	kernel_faults.refused = UINT64_MAX;
	kernel_faults.capabilities = 0x1e;
}

void kernel_faults_at(enum fault_call call, unsigned int n, int error)
{
	kernel_faults.call[call].from = n;
	kernel_faults.call[call].to = n;
	kernel_faults.call[call].error = error;
	kernel_faults.call[call].calls = 0;
}

void kernel_faults_from(enum fault_call call, unsigned int n, int error)
{
	kernel_faults_at(call, n, error);
	kernel_faults.call[call].to = UINT_MAX;
}

/*
 * Returns true for most calls of very frequent operations: only some of them
 * are made to fail.
 */
static bool is_one_of_many(const char *name)
{
	static struct {
		char name[FAULT_NAME];
		unsigned int calls;
	} seen[NAMES];
	size_t i;

	for (i = 0; i < NAMES - 1 && seen[i].name[0]; i++)
		if (!strncmp(seen[i].name, name, FAULT_NAME - 1))
			break;
	snprintf(seen[i].name, FAULT_NAME, "%s", name);
	seen[i].calls++;
	return seen[i].calls > kernel_faults.any.alike &&
	       seen[i].calls % 1000;
}

int kernel_faults_any(const char *name)
{
	unsigned int n;

	if (is_one_of_many(name))
		return 0;
	n = ++kernel_faults.any.calls;
	if (n < kernel_faults.any.from || n > kernel_faults.any.to)
		return 0;
	if (!kernel_faults.any.name[0])
		snprintf(kernel_faults.any.name, FAULT_NAME, "%s", name);
	return -kernel_faults.any.error;
}

static int fault(enum fault_call call)
{
	static const char *const name[] = {
		[FAULT_OPEN] = "perf_open",     [FAULT_MAP] = "map_page",
		[FAULT_ENABLE] = "enable",      [FAULT_READ] = "read",
		[FAULT_MEMORY] = "map_memory",
	};
	const unsigned int n = ++kernel_faults.call[call].calls;
	const int any = kernel_faults_any(name[call]);

	if (any)
		return any;
	return n >= kernel_faults.call[call].from &&
			       n <= kernel_faults.call[call].to
		       ? -kernel_faults.call[call].error
		       : 0;
}

uint64_t __wrap_selfmon_kernel_user_read_bits(void)
{
	return kernel_faults.ask;
}

/* Checks in the kernel's order: first permission, then the driver. */
static int refuse_hardware(const struct perf_event_attr *attr)
{
	if (kernel_faults.paranoid && !attr->exclude_kernel)
		return -EACCES;
	if (attr->config == kernel_faults.refused)
		return -ENOENT;
	if (attr->config1 & kernel_faults.too_much)
		return -EOPNOTSUPP;
	if (kernel_faults.no_guest && !attr->exclude_guest)
		return -EOPNOTSUPP;
	if (kernel_faults.no_exclude &&
	    (attr->exclude_kernel || attr->exclude_user || attr->exclude_hv))
		return -EINVAL;
	return 0;
}

#define SLOTS 0x400u

static bool is_share(uint64_t config)
{
	return (config & 0x80ff) == 0x8000;
}

static int open_hardware(struct perf_event_attr *attr, int group, bool keep)
{
	const uint64_t config = attr->config;
	int fd = refuse_hardware(attr);

	if (fd)
		return fd;
	if (group >= 0 && group_size[group] >= kernel_faults.largest)
		return -EINVAL;
	/*
	 * Shares of slots require the event `slots` as the leader of their
	 * group, as in intel_pmu_hw_config().
	 */
	if (is_share(config) && (group < 0 || config_of[group] != SLOTS))
		return -EINVAL;
	kernel_faults.config1 = attr->config1;
	kernel_faults.excludes = attr->exclude_kernel || attr->exclude_hv;
	kernel_faults.excludes_guest = attr->exclude_guest;
	attr->type = PERF_TYPE_SOFTWARE;
	attr->config = PERF_COUNT_SW_TASK_CLOCK;
	attr->config1 = 0;
	fd = __real_selfmon_kernel_perf_open(attr, group, keep);
	if (fd < 0)
		return fd;
	group_size[fd] = 1;
	leads[fd] = group < 0;
	config_of[fd] = config;
	if (group >= 0)
		group_size[group]++;
	return fd;
}

/*
 * Replaces a uprobe by a dummy event, since the kernel needs 100 ms to install
 * a probe.
 */
static void spare_probe(struct perf_event_attr *attr)
{
	if (!kernel_faults.no_probes || attr->type <= PERF_TYPE_BREAKPOINT ||
	    attr->config1 < PAGE_SIZE) /* uprobe_path */
		return;
	attr->type = PERF_TYPE_SOFTWARE;
	attr->config = PERF_COUNT_SW_DUMMY;
	attr->config1 = attr->config2 = 0;
}

int __wrap_selfmon_kernel_perf_open(struct perf_event_attr *attr, int group,
				    bool keep)
{
	void (*const meanwhile)(void) = kernel_faults.on_open;
	const int error = fault(FAULT_OPEN);
	int fd;

	kernel_faults.on_open = NULL;
	if (meanwhile)
		meanwhile();
	if (error)
		return error;
	spare_probe(attr);
	if (group < 0 && !attr->disabled)
		kernel_faults.enabled++;
	if (kernel_faults.pmu && (attr->type == PERF_TYPE_HARDWARE ||
				  attr->type == PERF_TYPE_RAW))
		return open_hardware(attr, group, keep);
	fd = __real_selfmon_kernel_perf_open(attr, group, keep);
	if (fd >= 0) {
		group_size[fd] = 0;
		is_breakpoint[fd] = attr->type == PERF_TYPE_BREAKPOINT;
	}
	return fd;
}

/* Accepts config3, like newer kernels, and ignores it. */
int __wrap_selfmon_kernel_perf_open_wide(const struct perf_event_attr *attr,
					 uint64_t config3, int group, bool keep)
{
	struct perf_event_attr narrow = *attr;
	const int error = kernel_faults_any("perf_open_wide");

	(void)config3;
	return error ? error
		     : __wrap_selfmon_kernel_perf_open(&narrow, group, keep);
}

/*
 * Writes an index into a page: the index of PERF_METRICS for a share of slots,
 * otherwise an index that no CPU has.
 */
static void show_index(size_t i)
{
	maps[i].shown->index = is_share(maps[i].config)
				       ? SELFMON_PAGE_PERF_METRICS + 1
				       : (UINT32_C(1) << 28) + 1;
}

static void take_turns(int fd)
{
	size_t i;

	for (i = 0; leads[fd] && kernel_faults.turns && i < PAGES; i++)
		if (maps[i].shown)
			maps[i].shown->index = 0;
}

/*
 * Keeps the group off the PMU for a number of reads: its running time does not
 * advance.
 */
static void wait_for_turn(uint64_t *running_ns)
{
	size_t i;

	if (!kernel_faults.waits)
		return;
	*running_ns = 1;
	if (--kernel_faults.waits)
		return;
	for (i = 0; i < PAGES; i++)
		if (maps[i].shown)
			show_index(i);
}

static bool is_hardware(const struct perf_event_attr *attr)
{
	return attr->type == PERF_TYPE_HARDWARE || attr->type == PERF_TYPE_RAW;
}

/*
 * Does not limit the size of the group: before, the library has opened the same
 * groups for the calling thread.
 */
int __wrap_selfmon_kernel_perf_open_thread(struct perf_event_attr *attr,
					   uint64_t config3, pid_t tid,
					   int group, bool processes)
{
	void (*const meanwhile)(void) = kernel_faults.on_thread_open;
	int error = fault(FAULT_OPEN), fd;

	kernel_faults.on_thread_open = NULL;
	if (meanwhile)
		meanwhile();
	if (!error && kernel_faults.no_inherit_thread && !processes)
		error = -EINVAL;
	if (!error && kernel_faults.gone == tid)
		error = -ESRCH;
	if (error)
		return error;
	if (kernel_faults.pmu && is_hardware(attr)) {
		attr->type = PERF_TYPE_SOFTWARE;
		attr->config = PERF_COUNT_SW_TASK_CLOCK;
		attr->config1 = 0;
	}
	spare_probe(attr);
	fd = __real_selfmon_kernel_perf_open_thread(attr, config3, tid, group,
						    processes);
	if (fd >= 0)
		group_size[fd] = 0;
	return fd;
}

static int show_page(int fd, const struct selfmon_page **page)
{
	struct selfmon_page *shown;
	size_t i = 0;
	int error;

	while (i < PAGES && maps[i].shown)
		i++;
	if (i == PAGES)
		return -ENOMEM;
	shown = mmap(NULL, PAGE_SIZE, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (shown == MAP_FAILED)
		return -ENOMEM;
	error = __real_selfmon_kernel_map_page(fd, &maps[i].real);
	if (error) {
		munmap(shown, PAGE_SIZE);
		return error;
	}
	shown->pmc_width = 48;
	shown->capabilities = kernel_faults.capabilities;
	take_turns(fd);
	maps[i].shown = shown;
	maps[i].config = config_of[fd];
	if (!kernel_faults.waits)
		show_index(i);
	kernel_faults.pages++;
	*page = shown;
	return 0;
}

int __wrap_selfmon_kernel_map_page(int fd, const struct selfmon_page **page)
{
	const int error = fault(FAULT_MAP);

	if (error)
		return error;
	return group_size[fd] ? show_page(fd, page)
			      : __real_selfmon_kernel_map_page(fd, page);
}

void __wrap_selfmon_kernel_unmap_page(const struct selfmon_page *page)
{
	size_t i;

	for (i = 0; i < PAGES; i++) {
		if (maps[i].shown != page)
			continue;
		munmap(maps[i].shown, PAGE_SIZE);
		maps[i].shown = NULL;
		kernel_faults.pages--;
		page = maps[i].real;
		break;
	}
	__real_selfmon_kernel_unmap_page(page);
}

int __wrap_selfmon_kernel_enable_group(int fd)
{
	const int error = fault(FAULT_ENABLE);

	return error ? error : __real_selfmon_kernel_enable_group(fd);
}

bool __wrap_selfmon_cpuid_may_be_virtual(void)
{
	return kernel_faults.virtual;
}

/*
 * Sets the counts of members without a real counter to 0. The words are: the
 * number of members, the time enabled, the time running, then a value and an id
 * for each member.
 */
static void stop_ungranted(uint64_t *word, size_t members)
{
	size_t i;

	for (i = kernel_faults.granted; i < members; i++)
		word[3 + 2 * i] = 0;
}

/* A group with more events than there are counters does not run. */
ssize_t __wrap_selfmon_kernel_read(int fd, void *buffer, size_t size)
{
	const int error = fault(FAULT_READ);
	ssize_t n;

	if (error)
		return error;
	n = __real_selfmon_kernel_read(fd, buffer, size);
	if (n > 0 && fd < FDS && group_size[fd] > kernel_faults.counters)
		((uint64_t *)buffer)[2] = 0;
	else if (n > 0 && fd < FDS && is_breakpoint[fd] && kernel_faults.silent)
		memset(buffer, 0, (size_t)n);
	else if (n > 0 && fd < FDS && group_size[fd])
		wait_for_turn((uint64_t *)buffer + 2);
	if (n > 0 && fd < FDS && group_size[fd])
		stop_ungranted(buffer, ((uint64_t *)buffer)[0]);
	return n;
}

/*
 * If a descriptor were closed twice, the second close could close another
 * thread's file.
 */
void __wrap_selfmon_kernel_close(int fd)
{
	if (fcntl(fd, F_GETFD) < 0)
		kernel_faults.bad_closes++;
	if (fd >= 0 && fd < FDS)
		group_size[fd] = 0; /* a file may get this number next */
	__real_selfmon_kernel_close(fd);
}

ssize_t __wrap_selfmon_kernel_read_file(const char *path, char *buffer,
					size_t size)
{
	const size_t length = kernel_faults.text ? strlen(kernel_faults.text)
						 : 0;
	const int any = kernel_faults_any(path);

	if (any)
		return any;
	if (!kernel_faults.path || strcmp(path, kernel_faults.path))
		return __real_selfmon_kernel_read_file(path, buffer, size);
	if (length >= size)
		return -EFBIG;
	memcpy(buffer, kernel_faults.text, length + 1);
	return (ssize_t)length;
}

uint64_t __wrap_selfmon_kernel_monotonic_raw_ns(void)
{
	const uint64_t now = __real_selfmon_kernel_monotonic_raw_ns();

	if (!kernel_faults.pause_at_ns) {
		if (kernel_faults.pause_after_ns)
			kernel_faults.pause_at_ns =
				now + kernel_faults.pause_after_ns;
		return now;
	}
	if (now < kernel_faults.pause_at_ns || !kernel_faults.pause_after_ns)
		return now;
	kernel_faults.pause_after_ns = 0;
	nanosleep(&(struct timespec){ .tv_nsec = 20000000 }, NULL);
	return __real_selfmon_kernel_monotonic_raw_ns();
}

uint64_t __wrap_selfmon_kernel_thread_cpu_ns(void)
{
	kernel_faults.cpu_looks++;
	return kernel_faults.cpu_step_ns
		       ? kernel_faults.cpu_step_ns * kernel_faults.cpu_looks
		       : __real_selfmon_kernel_thread_cpu_ns();
}

int __wrap_selfmon_kernel_map_memory(size_t size, bool wipe, void **memory)
{
	void (*const meanwhile)(void) = kernel_faults.meanwhile;
	int error = fault(FAULT_MEMORY);

	if (!error)
		error = __real_selfmon_kernel_map_memory(size, wipe, memory);
	if (!error && !any_stays(size))
		any_held.bytes += size;
	kernel_faults.meanwhile = NULL;
	if (meanwhile)
		meanwhile();
	return error;
}
