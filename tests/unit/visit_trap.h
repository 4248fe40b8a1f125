/* SPDX-License-Identifier: MIT */
/* Visits of one region, whose counters are those of the model in trap_pmu.h. */
#ifndef TESTS_UNIT_VISIT_TRAP_H
#define TESTS_UNIT_VISIT_TRAP_H

#include <criterion/criterion.h>

#include <selfmon.h>

#include "counters/set.h"
#include "open/entry.h"
#include "session/thread.h"
#include "store/process.h"
#include "store/self.h"
#include "store/statistics.h"
#include "trap_pmu.h"

#define COUNT 4
#define COUNT_MORE 6
#define USUAL_TICKS 1000000

static struct selfmon_page page[COUNT_MORE];
static struct selfmon_set set;
static uint32_t cpu;
static const struct selfmon_stats *stats; /* statistics of visit()'s region */
/* Number of events that the first member counts in a visit. */
static uint64_t events = 10;
static void (*in_visit)(void); /* called in a visit, or NULL */

static inline void make_set(uint16_t count)
{
	unsigned int k;

	for (k = 0; k < count; k++) {
		page[k] = (struct selfmon_page){
			.lock = 4,
			.index = TRAP_INDEX(k),
			.pmc_width = 48,
		};
		set.head.page[k] = &page[k];
		set.head.shift[k] = 16;
		trap_pmu.raw[k] = 1000 * (k + 1);
	}
	set.head.owner = selfmon_arch_thread_pointer();
	set.head.cpu = &cpu;
	set.head.hardware_count = count;
	set.head.count = count;
	set.head.sign = UINT64_C(1) << 47;
	set.head.max_per_tick = 16;
}

/* Each member counts a different multiple of `events`. */
static __attribute__((noinline, unused)) void visit(uint64_t ticks)
{
	unsigned int k;

	trap_pmu_time(true);
	SELFMON_REGION("trapped") {
		stats = selfmon_entry_place(selfmon_thread_self())->stats;
		if (in_visit)
			in_visit();
		trap_pmu.tsc += ticks;
		for (k = 0; k < set.head.count; k++)
			trap_pmu.raw[k] += events * (k + 1);
	}
	trap_pmu_time(false);
}

/*
 * Gives the thread the model's set. One visit then caches the pages, and is the
 * longest of its region, so later visits take the fast path. Only the test of
 * long visits makes longer ones.
 */
static inline void setup(void)
{
	struct selfmon_options options = SELFMON_OPTIONS_INIT;
	struct selfmon_thread *thread;
	unsigned int k;

	trap_pmu_setup();
	trap_pmu.tsc = 1000000;
	options.events = "none";
	options.output = NULL;
	cr_assert_eq(selfmon_configure(&options), 0);
	cr_assert_eq(selfmon_prepare(), 0);
	make_set(COUNT);
	thread = selfmon_thread_self();
	thread->set = &set.head;
	thread->max_per_tick = set.head.max_per_tick;
	for (k = 0; k < COUNT_MORE; k++)
		thread->column[k] = (uint8_t)k;
	selfmon_thread_set_mode(thread, SELFMON_MODE_USER);
	visit(USUAL_TICKS);
	trap_pmu.traps = 0;
}

/*
 * Detaches the set, because exit would close descriptors that the set does not
 * have.
 */
static inline void fini(void)
{
	selfmon_thread_set_mode(selfmon_thread_self(), SELFMON_MODE_TIME);
	selfmon_thread_self()->set = NULL;
}

#endif
