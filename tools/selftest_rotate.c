/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "selftest_rotate.h"

#include <stdlib.h>

#include "selftest_judge_rest.h"
#include "selftest_row.h"
#include "selftest_work.h"

#define SETS 8
#define ESTIMATES 512
#define EVENTS 12
#define AROUND 4000 /* maximum instructions of a visit outside of its loop */
#define READS 1000 /* maximum reads of a set between two checks of the time */
#define ROTATION_LEAST UINT64_C(1000000)

/*
 * Sets that are multiplexed: they take turns on the PMU. Each has a few copies
 * of the event `instructions`.
 */
struct crowd {
	struct selfmon_counters *set[SETS];
	size_t sets, events; /* events: of one set */
	bool takes_turns;
	double rate;         /* iterations of the loop per nanosecond */
};

/*
 * Returns the number of events in each set: usually two. If a hypervisor offers
 * more counters than really count, two sets must not be on the PMU at the same
 * time. Then each set has more events than half of the offered counters. If
 * fewer counters than these events really count, returns 0.
 */
static size_t events_of_a_set(const struct selftest_case *from)
{
	if (from->counting >= from->offered)
		return 2;
	if (2 * from->counting > from->offered)
		return (size_t)from->offered / 2 + 1;
	return 0;
}

static double loop_rate(void)
{
	uint64_t n = 1000, took;

	do {
		n *= 2;
		took = selftest_now_ns();
		selftest_loop(n);
		took = selftest_now_ns() - took;
	} while (took < 1000000);
	return (double)n / (double)took;
}

static uint64_t iterations(const struct crowd *crowd, uint64_t ns)
{
	return (uint64_t)((double)ns * crowd->rate) + 1;
}

static uint64_t rotation_of(const struct crowd *crowd)
{
	const uint64_t ns = crowd->set[0]->rotation_ns;

	return ns < ROTATION_LEAST ? ROTATION_LEAST : ns;
}

/* Returns true if the first set is off the PMU for some of the time. */
static bool takes_turns(struct crowd *crowd)
{
	const uint64_t n = iterations(crowd, rotation_of(crowd) / 2);
	struct selfmon_delta delta;
	int i;

	for (i = 0; i < 20; i++) {
		selftest_visit(crowd->set[0], n, &delta);
		if (delta.off_ns || delta.flags & SELFMON_DELTA_REFUSED)
			return true;
	}
	return false;
}

static void disperse(struct crowd *crowd)
{
	while (crowd->sets > 0)
		selfmon_counters_close(crowd->set[--crowd->sets]);
}

static const char *copies(size_t count)
{
	static const char all[] = "instructions,instructions,instructions,"
				  "instructions,instructions,instructions,"
				  "instructions,instructions";

	return all + sizeof(all) - count * (sizeof("instructions,") - 1);
}

static bool add_set(struct crowd *crowd, struct selftest_row *row)
{
	if (!selftest_open(copies(crowd->events), SELFMON_COUNTERS_ONE_GROUP,
			   &crowd->set[crowd->sets], row))
		return false;
	crowd->sets++;
	return true;
}

/* Opens sets until they are multiplexed, or until there are SETS. */
static bool gather(const struct selftest_case *from, struct crowd *crowd,
		   struct selftest_row *row)
{
	crowd->events = events_of_a_set(from);
	if (!crowd->events || crowd->events > SELFMON_MAX_COUNTERS) {
		selftest_absent(row, "of %d events on the PMU %d count: events "
				"that take turns may count nothing",
				from->offered, from->counting);
		return false;
	}
	crowd->rate = loop_rate();
	do {
		if (!add_set(crowd, row)) {
			disperse(crowd);
			return false;
		}
		crowd->takes_turns = takes_turns(crowd);
	} while (crowd->sets < SETS && !crowd->takes_turns);
	return true;
}

/* Makes a visit. Stores each of its values with the range of the true count. */
static size_t estimate(struct selfmon_counters *set, size_t events, uint64_t n,
		       struct selftest_estimate *to)
{
	struct selfmon_delta delta;
	size_t i;

	selftest_visit(set, n, &delta);
	for (i = 0; i < events; i++) {
		to[i].count = delta.value[i].count;
		to[i].uncertainty = selfmon_delta_uncertainty(&delta, i);
		to[i].verdict = delta.value[i].verdict;
		to[i].least = 2 * n;
		to[i].most = 2 * n + AROUND;
	}
	return events;
}

struct estimates {
	struct selftest_estimate *of;
	size_t count;
};

/* Makes visits that last 1 to 6 rotations, with each set in turn. */
static void visit_crowd(const struct selftest_case *from, struct crowd *crowd,
			size_t most, struct estimates *to)
{
	const struct selftest_timer timer = selftest_timer(from, 200);
	size_t k;

	for (k = 0; to->count + crowd->events <= most &&
		    !selftest_is_over(&timer); k++) {
		const uint64_t ns = rotation_of(crowd) * (2 + k % 11) / 2;

		to->count += estimate(crowd->set[k % crowd->sets],
				      crowd->events, iterations(crowd, ns),
				      to->of + to->count);
	}
}

/* The value of each member of a set when it was last read. */
struct last {
	uint64_t value[SELFMON_MAX_COUNTERS];
};

static void note_values(const struct selfmon_snapshot *at, size_t events,
			struct last *last, struct selftest_run *run)
{
	size_t i;

	run->reads++;
	for (i = 0; i < events; i++) {
		if (at->value[i] < last->value[i] && !run->backwards++)
			run->first_back = last->value[i] - at->value[i];
		last->value[i] = at->value[i];
	}
}

/* Reads one set until it is off the PMU, at most READS times. */
static void read_while_on(const struct selfmon_counters *set, size_t events,
			  struct last *last, struct selftest_run *run)
{
	struct selfmon_snapshot at;
	int i;

	for (i = 0; i < READS; i++) {
		selfmon_counters_begin(set, &at);
		if (at.flags & SELFMON_SNAPSHOT_LOST)
			return;
		note_values(&at, events, last, run);
		if (at.flags & SELFMON_SNAPSHOT_SLOW)
			return;
	}
}

/*
 * Reads continuously while sets rotate. If a read returned the counter of
 * another event, counts would go backwards at this or the next read.
 */
static void reads_in_order(const struct selftest_case *from,
			   struct crowd *crowd, struct selftest_row *row)
{
	const struct selftest_timer timer = selftest_timer(from, 450);
	struct last last[SETS] = { { { 0 } } };
	struct selftest_run run = { .reads = 0 };
	size_t i;

	while (!selftest_is_over(&timer))
		for (i = 0; i < crowd->sets; i++)
			read_while_on(crowd->set[i], crowd->events, &last[i],
				      &run);
	selftest_figure(row, "reads in order", "",
			(double)(run.reads - run.backwards));
	selftest_judge_run(&run, row);
}

/*
 * Makes visits with one set that has more events than there are counters, while
 * another set is open.
 */
static void visit_one_set(const struct selftest_case *from,
			  struct crowd *crowd, struct estimates *to,
			  struct selftest_row *row)
{
	const struct selftest_timer timer = selftest_timer(from, 120);
	struct selfmon_counters *large, *beside;
	size_t k;

	if (from->counting < from->offered)
		return;
	if (!selftest_open(copies(SELFMON_MAX_COUNTERS), 0, &large, row))
		return;
	if (selfmon_counters_open(copies(EVENTS - SELFMON_MAX_COUNTERS), 0,
				  &beside, NULL) < 0)
		beside = NULL;
	for (k = 0; to->count + SELFMON_MAX_COUNTERS <= ESTIMATES &&
		    !selftest_is_over(&timer); k++)
		to->count += estimate(large, SELFMON_MAX_COUNTERS,
				      iterations(crowd, rotation_of(crowd) *
							(6 + k % 7)),
				      to->of + to->count);
	selfmon_counters_close(beside);
	selfmon_counters_close(large);
}

static size_t count_verdict(const struct estimates *in,
			    enum selfmon_verdict verdict)
{
	size_t i, n = 0;

	for (i = 0; i < in->count; i++)
		n += in->of[i].verdict == verdict;
	return n;
}

static void say_estimates(const struct estimates *in, size_t events,
			  struct selftest_row *row)
{
	const size_t scaled = count_verdict(in, SELFMON_SCALED);
	const size_t refused = count_verdict(in, SELFMON_NOT_COUNTED);

	selftest_figure(row, "events at once", "", (double)events);
	selftest_figure(row, "estimates", "", (double)scaled);
	selftest_figure(row, "refused", "", (double)refused);
	selftest_figure(row, "counted all the time", "",
			(double)(in->count - scaled - refused));
	selftest_say(&row->found, "%zu events that take turns: %zu estimates, "
		     "%zu values refused, %zu counted all the time", events,
		     scaled, refused, in->count - scaled - refused);
	if (!scaled && !refused)
		selftest_absent(row, "no event had to take turns");
}

void selftest_rotate(const struct selftest_case *from, struct selftest_row *row)
{
	struct crowd crowd = { .sets = 0 };
	struct estimates estimates = { .count = 0 };
	size_t events;

	selftest_pin(-1);
	estimates.of = calloc(ESTIMATES, sizeof(*estimates.of));
	if (!estimates.of || !gather(from, &crowd, row)) {
		free(estimates.of);
		return;
	}
	visit_crowd(from, &crowd, ESTIMATES / 2, &estimates);
	while (crowd.sets < SETS && crowd.sets * crowd.events < EVENTS &&
	       add_set(&crowd, row))
		;
	events = crowd.sets * crowd.events;
	visit_crowd(from, &crowd, ESTIMATES * 3 / 4, &estimates);
	reads_in_order(from, &crowd, row);
	disperse(&crowd);
	visit_one_set(from, &crowd, &estimates, row);
	selftest_judge_estimates(estimates.of, estimates.count, row);
	say_estimates(&estimates, events, row);
	free(estimates.of);
}
