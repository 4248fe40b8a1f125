/* SPDX-License-Identifier: MIT */
/*
 * The bare operations that any profiling library needs, such as timestamp
 * pairs.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/perf_event.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#ifdef __x86_64__
#include <cpuid.h>
#endif

#include <selfmon/arch.h>

#include "bench.h"

static int group = -1;

void bench_bare_empty(uint64_t n)
{
	for (; n > 0; n--)
		selfmon_compiler_fence();
}

void bench_bare_timestamps(uint64_t n)
{
	for (; n > 0; n--) {
		const uint64_t start = selfmon_arch_timestamp();

		bench_keep(selfmon_arch_timestamp() - start);
	}
}

#ifdef __x86_64__
static inline uint64_t rdtscp(void)
{
	uint32_t low, high, cpu;

	__asm__ __volatile__("rdtscp" : "=a"(low), "=d"(high), "=c"(cpu));
	return (uint64_t)high << 32 | low;
}

static inline uint64_t lfence_rdtsc(void)
{
	uint32_t low, high;

	__asm__ __volatile__("lfence\n\trdtsc" : "=a"(low), "=d"(high));
	return (uint64_t)high << 32 | low;
}

/* Intel SDM volume 2, CPUID, leaf 80000001H: EDX, bit 27. */
bool bench_bare_has_rdtscp(void)
{
	uint32_t a, b, c, d = 0;

	return __get_cpuid(0x80000001, &a, &b, &c, &d) && d >> 27 & 1;
}

void bench_bare_rdtscp(uint64_t n)
{
	for (; n > 0; n--) {
		const uint64_t start = rdtscp();

		bench_keep(rdtscp() - start);
	}
}

void bench_bare_lfence_rdtsc(uint64_t n)
{
	for (; n > 0; n--) {
		const uint64_t start = lfence_rdtsc();

		bench_keep(lfence_rdtsc() - start);
	}
}
#endif

void bench_bare_gettime(uint64_t n)
{
	for (; n > 0; n--) {
		const uint64_t start = bench_now_ns();

		bench_keep(bench_now_ns() - start);
	}
}

static int open_one(uint64_t config)
{
	struct perf_event_attr attr;
	long fd;

	memset(&attr, 0, sizeof(attr));
	attr.size = sizeof(attr);
	attr.type = PERF_TYPE_SOFTWARE;
	attr.config = config;
	attr.exclude_kernel = 1;
	attr.exclude_hv = 1;
	attr.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED |
			   PERF_FORMAT_TOTAL_TIME_RUNNING;
	fd = syscall(SYS_perf_event_open, &attr, 0, -1, group,
		     PERF_FLAG_FD_CLOEXEC);
	if (fd < 0)
		bench_fail("perf_event_open: %s", strerror(errno));
	return (int)fd;
}

/* Opens the events of BENCH_SOFTWARE, in this order. */
void bench_bare_group_open(void)
{
	group = open_one(PERF_COUNT_SW_PAGE_FAULTS);
	open_one(PERF_COUNT_SW_PAGE_FAULTS_MIN);
	open_one(PERF_COUNT_SW_PAGE_FAULTS_MAJ);
	open_one(PERF_COUNT_SW_TASK_CLOCK);
}

void bench_bare_group_reads(uint64_t n)
{
	uint64_t values[3 + BENCH_SOFTWARE_COUNT];

	for (; n > 0; n--) {
		bench_keep(read(group, values, sizeof(values)));
		bench_keep(read(group, values, sizeof(values)));
	}
}
