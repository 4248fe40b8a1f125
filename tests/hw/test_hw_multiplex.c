/* SPDX-License-Identifier: MIT */
/*
 * Tests more events than counters: sets rotate on the PMU, once per
 * perf_event_mux_interval_ms (kernel/events/core.c, perf_rotate_context).
 *
 * Values are compared with those of a pinned event, which never rotates.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "hw/nops.h"
#include "hw/tool.h"

#define SETS_MAX 16
#define MS UINT64_C(1000000)
#define TIMEOUT 1000 /* seconds; in an emulator, of its virtual time */

/* Sets of two events. There is one set more than fits on the PMU. */
static struct {
	struct selfmon_counters *set[SETS_MAX];
	size_t sets;
	int pinned;
} rig;

/* Returns true if this set is on the PMU all the time for 40 ms. */
static bool runs_always(struct selfmon_counters *set)
{
	struct selfmon_delta delta;
	int i;

	for (i = 0; i < 20; i++) {
		nops_visit(set, nops_turns(2 * MS), &delta);
		if (delta.off_ns > 0)
			return false;
	}
	return true;
}

static struct selfmon_counters *open_pair(void)
{
	struct selfmon_counters *set;
	int count;

	count = selfmon_counters_open("instructions,instructions",
				      SELFMON_COUNTERS_ONE_GROUP, &set, NULL);
	if (count != 2 && rig.sets <= 1)
		cr_skip_test("the PMU has no room for two sets of two events");
	cr_assert_eq(count, 2, "no set beside %zu others", rig.sets);
	return set;
}

/*
 * Opens sets until they rotate: one more than fits. If two sets or more fit,
 * each is on the PMU for more than half of the time.
 */
static void crowd(void)
{
	tool_require_granted();
	rig.pinned = tool_open_truth();
	do {
		if (rig.sets == SETS_MAX)
			cr_skip_test("%d sets all fit the PMU", SETS_MAX);
		rig.set[rig.sets++] = open_pair();
	} while (runs_always(rig.set[0]));
	if (rig.sets < 3)
		cr_skip_test("the PMU has no room for two pairs and a third");
}

static uint64_t truth_now(void)
{
	return tool_read(rig.pinned).value;
}

/* A region, with two reads of the pinned event around it and two inside it. */
struct measured {
	struct selfmon_delta delta;
	uint64_t least, most;
};

static void measure(struct selfmon_counters *set, void (*work)(uint64_t),
		    uint64_t size, struct measured *out)
{
	struct selfmon_snapshot a, b;
	uint64_t outer, inner;

	outer = truth_now();
	selfmon_counters_begin(set, &a);
	inner = truth_now();
	work(size);
	out->least = truth_now() - inner;
	selfmon_counters_end(set, &b);
	out->most = truth_now() - outer;
	selfmon_counters_delta(set, &a, &b, &out->delta);
}

static void assert_bracketed(const struct measured *m, size_t i)
{
	const uint64_t count = m->delta.value[i].count;
	const uint64_t error = selfmon_delta_uncertainty(&m->delta, i);

	cr_assert(count - error <= m->most && count + error >= m->least,
		  "member %zu: %llu +- %llu, but it was %llu to %llu; off the "
		  "PMU for %llu of %llu ns",
		  i, (unsigned long long)count, (unsigned long long)error,
		  (unsigned long long)m->least, (unsigned long long)m->most,
		  (unsigned long long)m->delta.off_ns,
		  (unsigned long long)m->delta.enabled_ns);
}

/*
 * Returns how many values of a delta have this verdict. All values must be
 * within the bounds of the pinned event.
 */
static unsigned int check(const struct measured *m,
			  enum selfmon_verdict verdict)
{
	unsigned int found = 0;
	size_t i;

	for (i = 0; i < 2; i++) {
		if (m->delta.value[i].verdict != SELFMON_NOT_COUNTED)
			assert_bracketed(m, i);
		found += m->delta.value[i].verdict == verdict;
	}
	return found;
}

static void steady(uint64_t ns)
{
	nops(nops_turns(ns));
}

/*
 * Alternates between user mode and kernel mode, with about half a millisecond
 * in each.
 */
static void in_bursts(uint64_t ns)
{
	static char buffer[1 << 16];
	const int zero = open("/dev/zero", O_RDONLY | O_CLOEXEC);
	uint64_t i, k;

	cr_assert_geq(zero, 0);
	for (i = 0; i < ns / MS; i++) {
		nops(nops_turns(MS / 2));
		for (k = 0; k < 30; k++)
			cr_assert_gt(read(zero, buffer, sizeof(buffer)), 0);
	}
	close(zero);
}

/* Visits regions that last 1.5 to 16 rotations, with each set in turn. */
static void assert_estimates(void (*work)(uint64_t))
{
	const uint64_t rotation = rig.set[0]->rotation_ns;
	unsigned int scaled = 0;
	uint64_t k;

	for (k = 3; k <= 32; k++) {
		struct measured m;

		measure(rig.set[k % rig.sets], work, rotation * k / 2, &m);
		scaled += check(&m, SELFMON_SCALED);
	}
	cr_assert_gt(scaled, 20, "only %u estimates", scaled);
}

Test(hw_multiplex, an_estimate_of_steady_work_is_as_near_as_it_says,
     .timeout = TIMEOUT)
{
	crowd();
	assert_estimates(steady);
}

Test(hw_multiplex, an_estimate_of_work_in_bursts_is_as_near_as_it_says,
     .timeout = TIMEOUT)
{
	crowd();
	assert_estimates(in_bursts);
}

Test(hw_multiplex, a_competitor_on_the_cpu_changes_no_estimate,
     .timeout = TIMEOUT)
{
	pid_t competitor;

	hw_pin(0);
	crowd();
	competitor = hw_competitor();
	assert_estimates(steady);
	hw_competitor_end(competitor);
}

Test(hw_multiplex, a_region_shorter_than_a_rotation_is_refused_not_guessed,
     .timeout = TIMEOUT)
{
	unsigned int refused = 0, exact = 0, other = 0;
	struct measured m;
	int i;

	crowd();
	for (i = 0; i < 400; i++) {
		measure(rig.set[i % 2], steady, MS / 2, &m);
		exact += check(&m, SELFMON_EXACT) + check(&m, SELFMON_SYSCALL);
		if (m.delta.value[0].verdict == SELFMON_NOT_COUNTED) {
			cr_assert(m.delta.flags & SELFMON_DELTA_REFUSED);
			cr_assert_eq(m.delta.value[0].count, 0);
			refused += 2;
		} else if (m.delta.value[0].verdict == SELFMON_SCALED) {
			cr_assert_leq(
				m.delta.off_ns * 100, m.delta.enabled_ns,
				"guessed: off the PMU for %llu of %llu ns",
				(unsigned long long)m.delta.off_ns,
				(unsigned long long)m.delta.enabled_ns);
		} else {
			other += 2;
		}
	}
	cr_assert_gt(refused, 20);
	cr_assert_gt(exact, 20);
	cr_assert_gt(other, 0);
}

/*
 * There are twice as many sets, so no set is on the PMU for half of the time.
 */
Test(hw_multiplex, a_set_off_the_pmu_for_most_of_the_time_is_refused,
     .timeout = TIMEOUT)
{
	size_t sets, i;

	crowd();
	for (sets = rig.sets; sets > 0; sets--) {
		if (rig.sets == SETS_MAX)
			cr_skip_test("no room for twice as many sets");
		rig.set[rig.sets++] = open_pair();
	}
	for (i = 0; i < 3; i++) {
		const uint64_t ns = 4 * rig.sets * rig.set[0]->rotation_ns;
		struct measured m;

		measure(rig.set[i], steady, ns, &m);
		/* Without a page clock, a visit may have no times. */
		if (m.delta.enabled_ns == 0 &&
		    !(rig.set[i]->flags & SELFMON_IMPL_SET_PAGE_CLOCK))
			measure(rig.set[i], steady, ns, &m);
		cr_assert_eq(m.delta.value[0].verdict, SELFMON_NOT_COUNTED);
		cr_assert(m.delta.flags & SELFMON_DELTA_REFUSED);
		cr_assert_gt(m.delta.enabled_ns, m.delta.off_ns);
	}
}

/*
 * Returns the thread's CPU time, as the kernel's times of events state it. On
 * real machines this is the enabled time of the pinned event: it includes time
 * that a hypervisor stole, which the thread's clock does not.
 */
static uint64_t thread_ns(void)
{
	struct timespec now;

	if (!hw_exact())
		return tool_read(rig.pinned).enabled_ns;
	cr_assert_eq(clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now), 0);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/*
 * The page has the times of its last update. Extrapolated to each snapshot,
 * they must be the thread's CPU time.
 */
Test(hw_multiplex, the_time_behind_an_estimate_is_the_threads_own,
     .timeout = TIMEOUT)
{
	const uint64_t slack = hw_exact() ? 20000 : MS;
	unsigned int scaled = 0;
	pid_t competitor = 0;
	int i;

	hw_pin(0);
	crowd();
	for (i = 0; i < 80; i++) {
		struct selfmon_counters *set = rig.set[(size_t)i % rig.sets];
		struct selfmon_snapshot a, b;
		struct selfmon_delta delta;
		uint64_t inner, outer;

		if (i == 40)
			competitor = hw_competitor();
		outer = thread_ns();
		selfmon_counters_begin(set, &a);
		inner = thread_ns();
		steady((5 + (uint64_t)i % 7) * MS);
		inner = thread_ns() - inner;
		selfmon_counters_end(set, &b);
		outer = thread_ns() - outer;
		selfmon_counters_delta(set, &a, &b, &delta);
		if (!(delta.flags & SELFMON_DELTA_SCALED))
			continue;
		scaled++;
		cr_assert(delta.enabled_ns + slack >= inner &&
				  delta.enabled_ns <= outer + slack,
			  "region %d: %llu ns, the thread ran %llu to %llu", i,
			  (unsigned long long)delta.enabled_ns,
			  (unsigned long long)inner, (unsigned long long)outer);
	}
	cr_assert_gt(scaled, 20);
	hw_competitor_end(competitor);
}

Test(hw_multiplex, a_strict_set_gives_no_estimate, .timeout = TIMEOUT)
{
	struct selfmon_counters *strict;
	unsigned int refused = 0;
	struct measured m;
	int i;

	crowd();
	if (selfmon_counters_open("instructions,instructions",
				  SELFMON_COUNTERS_STRICT, &strict, NULL) < 0)
		cr_skip_test("the set was off the PMU when it was opened");
	for (i = 0; i < 20; i++) {
		measure(strict, steady, 20 * MS, &m);
		cr_assert_neq(m.delta.value[0].verdict, SELFMON_SCALED);
		refused += (m.delta.flags & SELFMON_DELTA_REFUSED) != 0;
	}
	cr_assert_gt(refused, 10);
}
