/* SPDX-License-Identifier: MIT */
/*
 * A model of a PMU for the library's machine code, which runs in a traced
 * child. RDPMC faults on a machine without a PMU, or for a counter that does
 * not exist. The tracer then returns the value of this model, which is in
 * memory shared with the child.
 *
 * Each event is in one of two registers. A move acts like a context switch:
 * each event continues in its other register, from another value, and no count
 * is lost. The old registers then count for another thread.
 */
#ifndef SELFMON_TESTS_STEPPED_PMU_H
#define SELFMON_TESTS_STEPPED_PMU_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/ptrace.h>
#include <sys/types.h>
#include <sys/user.h>
#include <unistd.h>

#include "counters/set.h"
#include "session/thread.h"
#include "store/process.h"
#include "store/self.h"

#define STEPPED_PMU_REGISTERS (2 * SELFMON_MAX_COUNTERS)
#define STEPPED_PMU_WIDTH 48
/*
 * The index of register 0 in a page. No CPU has a counter with this number, so
 * RDPMC always faults.
 */
#define STEPPED_PMU_FIRST ((UINT32_C(1) << 28) + 1)

struct stepped_pmu {
	struct selfmon_page page[SELFMON_MAX_COUNTERS];
	uint64_t raw[STEPPED_PMU_REGISTERS];
	struct selfmon_set set;
	uint32_t cpu;
	uint32_t moves;
	int end[2]; /* both ends of the pipe that serves read(2) */
};

static inline unsigned int stepped_pmu_register(const struct stepped_pmu *pmu,
						unsigned int member)
{
	return pmu->page[member].index - STEPPED_PMU_FIRST;
}

static inline uint64_t stepped_pmu_value(const struct stepped_pmu *pmu,
					 unsigned int member)
{
	return pmu->raw[stepped_pmu_register(pmu, member)] +
	       (uint64_t)pmu->page[member].offset;
}

/* Number of group reads that one call of stepped_pmu_serve() prepares. */
#define STEPPED_PMU_SERVED 16

static inline void stepped_pmu_serve(struct stepped_pmu *pmu)
{
	uint64_t answer[3 + 2 * SELFMON_MAX_COUNTERS] = { 0 };
	unsigned int k, count = pmu->set.head.count;
	const size_t size = (3 + 2 * count) * sizeof(answer[0]);

	if (pmu->end[0]) {
		close(pmu->end[0]);
		close(pmu->end[1]);
	}
	if (pipe(pmu->end))
		_exit(1);
	pmu->set.member[0].fd_plus_1 = pmu->end[0] + 1;
	answer[0] = count;
	for (k = 0; k < count; k++)
		answer[3 + 2 * k] = stepped_pmu_value(pmu, k);
	for (k = 0; k < STEPPED_PMU_SERVED; k++)
		if (write(pmu->end[1], answer, size) != (ssize_t)size)
			_exit(1);
}

/* From here on, visits read the set by read(2). */
static inline void stepped_pmu_end_user_reads(struct stepped_pmu *pmu)
{
	stepped_pmu_serve(pmu);
	pmu->set.head.flags |= SELFMON_IMPL_SET_SYSCALL;
}

/*
 * From here on, the visits of the calling thread count this many events of the
 * model.
 */
static inline void stepped_pmu_attach(struct stepped_pmu *pmu, uint16_t members)
{
	struct selfmon_thread *const thread = selfmon_thread_self();
	struct selfmon_counters *const head = &pmu->set.head;
	unsigned int k;

	for (k = 0; k < members; k++) {
		pmu->page[k].lock = 4;
		pmu->page[k].index = STEPPED_PMU_FIRST + k;
		pmu->page[k].pmc_width = STEPPED_PMU_WIDTH;
		pmu->raw[k] = 1000 * (k + 1);
		head->page[k] = &pmu->page[k];
		head->shift[k] = 64 - STEPPED_PMU_WIDTH;
		thread->column[k] = (uint8_t)k;
	}
	head->owner = selfmon_arch_thread_pointer();
	head->cpu = &pmu->cpu;
	head->hardware_count = head->count = members;
	head->sign = UINT64_C(1) << (STEPPED_PMU_WIDTH - 1);
	head->max_per_tick = 16;
	head->flags = 0;
	pmu->set.trusted_ticks = UINT64_MAX;
	thread->set = head;
	thread->max_per_tick = head->max_per_tick;
	selfmon_thread_set_mode(thread, selfmon_thread_mode(thread));
}

/* Adds n * (k + 1) events to member k. */
static inline void stepped_pmu_count(struct stepped_pmu *pmu, uint64_t n)
{
	unsigned int k;

	for (k = 0; k < pmu->set.head.count; k++)
		pmu->raw[stepped_pmu_register(pmu, k)] += n * (k + 1);
	if (pmu->set.head.flags & SELFMON_IMPL_SET_SYSCALL)
		stepped_pmu_serve(pmu);
}

static inline void stepped_pmu_move(struct stepped_pmu *pmu)
{
	const uint32_t n = ++pmu->moves;
	unsigned int k, from, to;

	for (k = 0; k < pmu->set.head.count; k++) {
		struct selfmon_page *const page = &pmu->page[k];

		from = stepped_pmu_register(pmu, k);
		to = from ^ SELFMON_MAX_COUNTERS;
		pmu->raw[to] = 100 * (n % 32) + 10 * to;
		page->offset += (int64_t)(pmu->raw[from] - pmu->raw[to]);
		page->index = STEPPED_PMU_FIRST + to;
		page->lock += 2;
		pmu->raw[from] += 77;
	}
}

/*
 * Returns true if the child stopped at an RDPMC that faulted. In this case,
 * stores the result of the instruction and moves the child past it.
 */
static inline bool stepped_pmu_answer(const struct stepped_pmu *pmu, pid_t pid)
{
#if defined(__x86_64__)
	struct user_regs_struct regs;
	long code;

	if (ptrace(PTRACE_GETREGS, pid, NULL, &regs))
		return false;
	code = ptrace(PTRACE_PEEKTEXT, pid, (void *)regs.rip, NULL);
	if ((code & 0xffff) != 0x330f)
		return false;
	regs.rax = pmu->raw[regs.rcx % STEPPED_PMU_REGISTERS] & UINT32_MAX;
	regs.rdx = pmu->raw[regs.rcx % STEPPED_PMU_REGISTERS] >> 32;
	regs.rip += 2;
	return ptrace(PTRACE_SETREGS, pid, NULL, &regs) == 0;
#else
	(void)pmu;
	(void)pid;
	return false;
#endif
}

#endif
