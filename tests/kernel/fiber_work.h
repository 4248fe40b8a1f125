/* SPDX-License-Identifier: MIT */
/* For tests of fibers: jobs that cause a known number of page faults. */
#ifndef TESTS_KERNEL_FIBER_WORK_H
#define TESTS_KERNEL_FIBER_WORK_H

#include <sys/mman.h>
#include <unistd.h>

#include "kernel/fibers.h"
#include "report/model.h"
#include "rows.h"
#include "sanitizer.h"

static const struct selfmon_unit *rows_unit;

static inline void choose(const char *events)
{
	struct selfmon_options options = SELFMON_OPTIONS_INIT;

	options.events = events;
	cr_assert_eq(selfmon_configure(&options), 0);
	rows_unit = selfmon_unit("rows");
}

static inline void fault(uint64_t pages)
{
	const size_t size = (size_t)sysconf(_SC_PAGESIZE);
	volatile char *const map = mmap(NULL, pages * size,
					PROT_READ | PROT_WRITE,
					MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	uint64_t i;

	madvise((void *)(uintptr_t)map, pages * size, MADV_NOHUGEPAGE);
	for (i = 0; i < pages; i++)
		map[i * size] = 1;
	munmap((void *)(uintptr_t)map, pages * size);
}

#define TURNS 50

static inline void fault_in_turns(struct job *job)
{
	uint64_t i;

	for (i = 0; i < TURNS; i++)
		SELFMON_REGION("request") {
			fault(job->n);
			SELFMON_REGION("read") {
				fault(1);
				job_pause(job);
				fault(1);
			}
		}
}

static inline void run_in_turns(struct job *job, int jobs)
{
	bool any = true;
	int i;

	while (any) {
		any = false;
		for (i = 0; i < jobs; i++) {
			if (job[i].done)
				continue;
			SELFMON_REGION("turn")
				job_run(&job[i]);
			any = true;
		}
	}
}

/*
 * Runs one job to its end. Code and memory that all jobs share are then mapped,
 * so later jobs cause only the page faults of their own work.
 */
static inline void warm(void)
{
	struct job job;

	job_make(&job, "warm", fault_in_turns);
	job.n = 1;
	SELFMON_REGION("warm, around")
		run_in_turns(&job, 1);
	job_end(&job);
}

/*
 * Allows up to 10 additional page faults, which the kernel may cause. Under a
 * sanitizer, allows any number of additional faults.
 */
static inline void expect_faults(const struct selfmon_row *row, uint64_t faults)
{
	cr_assert_eq(row->counter[0].verdict, SELFMON_SYSCALL);
	cr_assert_eq(row->counter[0].visits, row->visits);
	cr_assert_geq(row->counter[0].sum, faults);
	if (!SANITIZED)
		cr_assert_leq(row->counter[0].sum, faults + 10,
			      "%llu of %llu",
			      (unsigned long long)row->counter[0].sum,
			      (unsigned long long)faults);
}

static inline void pause_once(struct job *job)
{
	SELFMON_REGION("request")
		SELFMON_REGION("read")
			job_pause(job);
}

#endif
