/* SPDX-License-Identifier: MIT */
/*
 * Tests the cost of a region and of a read in instructions, counted by a
 * separate counter. Neither may make a system call. Lines that begin with
 * "cost:" have the figures of docs/COST.md. `make bench-check-vm` compares them
 * with the baseline.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "counters/set.h"
#include "forbid.h"
#include "hw.h"

#define TURNS 8u
#define REPEATS 501
#if defined(__x86_64__)
#define FOUR_EVENTS "cycles,instructions,ref-cycles,bus-cycles"
#else
#define FOUR_EVENTS "cycles,instructions,instructions,instructions"
#endif

/* Budgets for x86-64; on other machines the cost is only printed. */
#define BUDGET_PAIR 185
#define BUDGET_TIME 82
#define BUDGET_READ 15
#define BUDGET_SWITCH 172 /* beyond two snapshots */

TestSuite(hw_cost, .init = hw_require_pmu);

static HW_NOINLINE void visit_regions(unsigned int n)
{
	for (; n > 0; n--)
		SELFMON_REGION("visit")
			selfmon_compiler_fence();
}

static HW_NOINLINE void visit_nothing(unsigned int n)
{
	for (; n > 0; n--)
		selfmon_compiler_fence();
}

static const struct selfmon_counters *read_set;
static uint64_t read_value;

/* Reads a member in the same way as selfmon_counters_begin(). */
static HW_NOINLINE void read_counter(unsigned int n)
{
	uint32_t moved = 0;

	for (; n > 0; n--)
		selfmon_page_read(read_set->page[0], read_set->shift[0],
				  &read_value, &moved);
}

static int compare(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/*
 * Returns the most frequent of sorted counts. More than half of the counts must
 * be equal.
 */
static uint64_t most_frequent(const uint64_t *count, size_t n)
{
	uint64_t found = 0;
	size_t i, run = 0, longest = 0;

	for (i = 0; i < n; i++) {
		run = i > 0 && count[i] == count[i - 1] ? run + 1 : 1;
		if (run > longest) {
			longest = run;
			found = count[i];
		}
	}
	cr_assert_gt(longest, n / 2, "no count is usual: %zu of %zu", longest,
		     n);
	return found;
}

/*
 * Returns the most frequent count of n iterations. The mean would vary: a timer
 * interrupt or a context switch makes a visit longer, and their positions
 * differ between boots.
 */
static uint64_t count_of(struct selfmon_counters *set,
			 void (*turns)(unsigned int), unsigned int n)
{
	uint64_t count[REPEATS];
	struct selfmon_snapshot begin, end;
	struct selfmon_delta delta;
	size_t i;

	turns(n); /* the first visit has additional costs */
	for (i = 0; i < REPEATS; i++) {
		selfmon_counters_begin(set, &begin);
		turns(n);
		selfmon_counters_begin(set, &end);
		selfmon_counters_delta(set, &begin, &end, &delta);
		cr_assert_eq(delta.value[0].verdict, SELFMON_EXACT);
		count[i] = delta.value[0].count;
	}
	qsort(count, REPEATS, sizeof(count[0]), compare);
	return most_frequent(count, REPEATS);
}

/*
 * Returns the instructions of one iteration. The instructions around the loop
 * cancel.
 */
static double cost_of(void (*turns)(unsigned int))
{
	struct selfmon_counters *const set = hw_open("instructions");
	uint64_t count;

	hw_require_user_reads(set);
	turns(1000 * TURNS); /* then hardly any visit is the longest so far */
	count = count_of(set, turns, 2 * TURNS) - count_of(set, turns, TURNS);
	selfmon_counters_close(set);
	return (double)count / TURNS;
}

static double report(const char *what, double turn)
{
	const double cost = turn - cost_of(visit_nothing);

	cr_log_info("cost: %s: %.1f instructions", what, cost);
	return cost;
}

static void assert_within(double cost, double budget)
{
	if (strcmp(SELFMON_ARCH_NAME, "x86-64") == 0)
		cr_assert_leq(cost, budget);
}

Test(hw_cost, a_region_pair_with_four_counters)
{
	struct selfmon_counters *const set = hw_open(FOUR_EVENTS);

	hw_require_user_reads(set);
	hw_require_exact();
	selfmon_counters_close(set);
	hw_configure(FOUR_EVENTS);
	assert_within(report("region pair, 4 counters and time",
			     cost_of(visit_regions)), BUDGET_PAIR);
}

Test(hw_cost, a_region_pair_of_time_alone)
{
	hw_require_exact();
	hw_configure("none");
	assert_within(report("region pair, time only", cost_of(visit_regions)),
		      BUDGET_TIME);
}

Test(hw_cost, a_read_of_one_counter)
{
	struct selfmon_counters *const set = hw_open("cycles");

	hw_require_user_reads(set);
	hw_require_exact();
	read_set = set;
	assert_within(report("read of one counter, inlined",
			     cost_of(read_counter)), BUDGET_READ);
	selfmon_counters_close(set);
}

static struct selfmon_fiber *fiber[2];
static struct selfmon_counters *four;

/* Makes two fibers, each with its own visit and one more open visit. */
static void open_fibers(void)
{
	static struct selfmon_frame frame[2];
	int i;

	for (i = 0; i < 2; i++) {
		fiber[i] = selfmon_fiber_create("fiber");
		selfmon_fiber_switch(fiber[i]);
		selfmon_enter(selfmon_region("inside"), &frame[i]);
	}
	selfmon_fiber_switch(NULL);
}

static HW_NOINLINE void switch_fibers(unsigned int n)
{
	for (; n > 0; n--)
		selfmon_fiber_switch(fiber[n & 1]);
}

static HW_NOINLINE void take_two_snapshots(unsigned int n)
{
	static struct selfmon_snapshot snapshot;

	for (; n > 0; n--) {
		selfmon_counters_begin(four, &snapshot);
		selfmon_counters_end(four, &snapshot);
	}
}

Test(hw_cost, a_switch_of_fibers_with_four_counters)
{
	double cost;

	four = hw_open(FOUR_EVENTS);
	hw_require_user_reads(four);
	hw_require_exact();
	cost = -report("two snapshots, 4 counters",
		       cost_of(take_two_snapshots));
	selfmon_counters_close(four);
	hw_configure(FOUR_EVENTS);
	open_fibers();
	cost += report("switch of fibers, 4 counters, one visit in each",
		       cost_of(switch_fibers));
	cr_log_info("a switch takes %.1f beyond two snapshots", cost);
	assert_within(cost, BUDGET_SWITCH);
}

static int visit_in_silence(int calls)
{
	const pid_t pid = fork();

	if (pid)
		return hw_wait(pid);
	hw_configure(FOUR_EVENTS);
	visit_regions(1);
	if (forbid_system_calls())
		_exit(2);
	visit_regions(1000);
	while (calls-- > 0)
		syscall(SYS_getppid);
	_exit(0);
}

Test(hw_cost, a_region_pair_with_four_counters_makes_no_system_call)
{
	struct selfmon_counters *const set = hw_open(FOUR_EVENTS);

	hw_require_user_reads(set);
	hw_require_exact(); /* otherwise a visit may be off the PMU */
	selfmon_counters_close(set);
	cr_assert_eq(visit_in_silence(0), 0);
	cr_assert_neq(visit_in_silence(1), 0, "the filter lets calls pass");
}

/* ---- events that the PMU lacks ------------------------------------------- */

static const char *missing_event(void)
{
	static const char *const candidate[] = {
		"branch-misses", "cache-misses", "stalled-cycles-frontend",
		"stalled-cycles-backend", "LLC-load-misses", "node-loads",
	};
	struct selfmon_counters *set;
	size_t i;

	for (i = 0; i < sizeof(candidate) / sizeof(candidate[0]); i++) {
		const int count = selfmon_counters_open(candidate[i], 0, &set,
							NULL);

		selfmon_counters_close(set);
		if (count == 0)
			return candidate[i];
	}
	cr_skip_test("this PMU has every event");
	return NULL;
}

/*
 * Returns the cost of a pair in instructions, measured in a process that counts
 * these events.
 */
static double pair_cost(const char *events)
{
	double *const cost = mmap(NULL, sizeof(*cost), PROT_READ | PROT_WRITE,
				  MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pid_t pid;

	cr_assert(cost != MAP_FAILED);
	pid = fork();
	if (!pid) {
		hw_configure(events);
		*cost = cost_of(visit_regions) - cost_of(visit_nothing);
		_exit(0);
	}
	cr_assert_eq(hw_wait(pid), 0);
	/*
	 * The line does not begin with "cost:", since bench-check-vm would
	 * compare it with the baseline.
	 */
	cr_log_info("a pair with %s: %.1f instructions", events, *cost);
	return *cost;
}

static void assert_missing_is_free(const char *before, const char *after)
{
	const char *const comma = *before && *after ? "," : "";
	char there[128], missing[256];

	hw_require_exact();
	hw_require_user_reads(hw_open("instructions")); /* needs a PMU */
	snprintf(there, sizeof(there), "%s%s%s", before, comma, after);
	snprintf(missing, sizeof(missing), "%s%s%s%s%s", before,
		 *before ? "," : "", missing_event(), *after ? "," : "", after);
	cr_assert_eq(pair_cost(missing), pair_cost(*there ? there : "none"),
		     "%s is dearer than %s", missing, there);
}

Test(hw_cost, an_event_that_is_missing_costs_a_pair_nothing)
{
	assert_missing_is_free("cycles", "instructions");
	assert_missing_is_free("", "cycles,instructions");
	assert_missing_is_free("cycles,instructions", "");
}

Test(hw_cost, a_list_of_missing_events_costs_what_time_alone_costs)
{
	assert_missing_is_free("", "");
}

/* The events of `auto`; this PMU may lack some of them. */
Test(hw_cost, auto_costs_what_its_events_that_are_there_cost)
{
	static const char *const event[] = { "cycles", "instructions",
					     "branch-misses", "cache-misses" };
	struct selfmon_counters *set;
	char there[128] = "";
	size_t i;

	hw_require_exact();
	hw_require_user_reads(hw_open("cycles,instructions"));
	for (i = 0; i < sizeof(event) / sizeof(event[0]); i++) {
		if (selfmon_counters_open(event[i], 0, &set, NULL) > 0)
			snprintf(there + strlen(there),
				 sizeof(there) - strlen(there), "%s%s",
				 *there ? "," : "", event[i]);
		selfmon_counters_close(set);
	}
	cr_assert_eq(pair_cost("auto"), pair_cost(there), "%s", there);
}
