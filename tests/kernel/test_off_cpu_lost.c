/* SPDX-License-Identifier: MIT */
/* Tests @offcpu in threads with more switches than their ring has room for. */
#define _GNU_SOURCE
#include <sched.h>
#include <unistd.h>

#include "kernel/off_cpu.h"
#include "store/ring_state.h"
#include "store/self.h"

/* A server that waits outside of its regions fills the ring many times. */
Test(off_cpu, goes_to_visits_after_many_switches_between_visits)
{
	uint64_t next;
	int i;

	for (i = 0; i < 1000; i++) {
		nap(1);
		SELFMON_REGION("short")
			;
	}
	SELFMON_REGION("next")
		next = nap(10);
	cr_assert_eq(naps_of("next"), next);
	cr_assert_eq(row_of("short").switches, row_of("short").preemptions);
}

/* Returns the size of the records in this thread's ring. */
static uint64_t unread(void)
{
	const struct selfmon_ring *const ring =
		&selfmon_thread_self()->ring->ring;

	return selfmon_ring_head(ring) - ring->tail;
}

/*
 * Waits outside of visits 1,500 times, or more often until less than half of
 * the ring is unread. With samples the ring has 64 KiB, with room for 1,300
 * switches, so the thread must read it meanwhile. After each wait there is a
 * visit, or a mark of a frame.
 */
static void check_with_samples(bool mark)
{
	struct selfmon_options options = SELFMON_OPTIONS_INIT;
	uint64_t next;
	int i;

	options.events = "@offcpu";
	options.sample = "task-clock@1000000";
	options.output = NULL;
	cr_assert_eq(selfmon_configure(&options), 0);
	alarm(60); /* if the wait never ends */
	SELFMON_REGION("first") /* opens the ring */
		;
	for (i = 0; i < 1500 || unread() > 32768; i++) {
		nap(1);
		if (mark)
			selfmon_frame_mark("turn");
		else
			SELFMON_REGION("short")
				;
	}
	SELFMON_REGION("next")
		next = nap(10);
	cr_assert_eq(naps_of("next"), next);
}

Test(off_cpu, goes_to_visits_after_many_switches_with_samples)
{
	check_with_samples(false);
}

Test(off_cpu, goes_to_visits_after_many_switches_between_marks_of_frames)
{
	check_with_samples(true);
}

/* Returns the number of this thread's switches. */
static uint64_t switches_now(void)
{
	const struct usage now = usage_now();

	return now.blocked + now.preempted;
}

static void stay_on_the_last_cpu(void)
{
	cpu_set_t allowed, last;
	size_t cpu = CPU_SETSIZE - 1;

	cr_assert_eq(sched_getaffinity(0, sizeof(allowed), &allowed), 0);
	while (!CPU_ISSET(cpu, &allowed))
		cpu--;
	CPU_ZERO(&last);
	CPU_SET(cpu, &last);
	cr_assert_eq(sched_setaffinity(0, sizeof(last), &last), 0);
}

/*
 * The ring has lost records from before and from after the begin of the visits.
 * Each wait before them takes ns.
 */
static void check_lost(uint64_t ns)
{
	const struct timespec time = { .tv_nsec = (long)ns };
	struct selfmon_row outer, inner;
	uint64_t switches;
	int i;

	stay_on_the_last_cpu();
	SELFMON_REGION("first") /* opens the ring */
		;
	for (i = 0; i < 200; i++)
		nanosleep(&time, NULL);
	SELFMON_REGION("outer")
		SELFMON_REGION("inner") {
			switches = switches_now();
			nap(1000);
			switches = switches_now() - switches;
		}
	outer = row_of("outer");
	inner = row_of("inner");
	cr_expect_geq(inner.switches, switches - switches / 50);
	cr_expect_leq(inner.switches, switches + switches / 50);
	cr_expect_geq(outer.switches + 2, inner.switches); /* rounded */
	cr_expect_leq(outer.switches, inner.switches + switches / 50);
	cr_expect_eq(inner.migrated, 0);
	cr_expect_leq(inner.blocked_ns + inner.preempted_ns, inner.time.sum);
	cr_expect_leq(outer.blocked_ns + outer.preempted_ns, outer.time.sum);
}

Test(off_cpu, of_lost_records_goes_in_part_to_a_visit_that_began_among_them)
{
	check_lost(NAP_NS);
}

/* The waits before the visits are much longer than those in them. */
Test(off_cpu, of_lost_records_is_no_longer_than_a_visit)
{
	check_lost(UINT64_C(50) * NAP_NS);
}

static uint64_t sum_of(const struct usage usage[2])
{
	return usage[1].blocked - usage[0].blocked + usage[1].preempted -
	       usage[0].preempted;
}

static void assert_from_to(uint64_t value, uint64_t least, uint64_t most)
{
	cr_assert_geq(value, least);
	cr_assert_leq(value, most);
}

/*
 * A region has its share of the lost records, of blocked as of preempted ones.
 * So if n switches were just outside of the region, as on a busy machine, each
 * of its numbers may be too small by n.
 */
static void assert_between_if_lost(const struct selfmon_row *row,
				   const struct usages *usages)
{
	const struct usage *const o = usages->outer, *const i = usages->inner;
	const uint64_t outside = sum_of(o) - sum_of(i);

	assert_from_to(row->preemptions + outside,
		       i[1].preempted - i[0].preempted,
		       o[1].preempted - o[0].preempted + outside);
	assert_from_to(row->switches - row->preemptions + outside,
		       i[1].blocked - i[0].blocked,
		       o[1].blocked - o[0].blocked + outside);
}

/*
 * The ring holds 150 switches, and older ones are overwritten. getrusage(2)
 * still gives their number, and the CPU clock the sum of their times.
 */
Test(off_cpu, counts_more_switches_than_the_ring_holds)
{
	struct selfmon_row row;
	struct usages usages;
	uint64_t next;

	usages.outer[0] = usage_now();
	SELFMON_REGION("long") {
		usages.inner[0] = usage_now();
		nap(1000);
		usages.inner[1] = usage_now();
	}
	usages.outer[1] = usage_now();
	SELFMON_REGION("next")
		next = nap(2);
	row = row_of("long");
	assert_between_if_lost(&row, &usages);
	cr_assert_gt(row.switches, 200);
	cr_assert_leq(row.blocked_ns + row.preempted_ns, row.time.sum);
	cr_assert_eq(naps_of("next"), next);
}
