/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "selftest_cost.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "selftest_row.h"
#include "selftest_work.h"

#define ROUNDS 200
#define ROUND_NS 50000.0  /* target length of a round */
/*
 * A core counts as busy if the empty loop takes this many times its least time.
 */
#define BUSY 1.5
#define LOOP 10000        /* iterations of the empty loop */
#define TRAP_NS 200
#define PAIRS 2          /* pairs in a batch whose instructions are counted */
#define BATCHES 200

/*
 * Results of a process that measures one kind of pair (enter and leave). The
 * process passes them to its parent.
 */
struct pair_cost {
	bool counted; /* measured: the other members are valid */
	double quiet_ns, busy_ns, instructions; /* negative: unknown */
	double busy_share;
};

static const struct {
	const char *events; /* if NULL, selftest_four_events() is used */
	unsigned int counters;
	const char *quiet, *busy, *instructions;
} kinds[] = {
	{ "none", 0, "pair, 0 counters, quiet", "pair, 0 counters, busy",
	  "pair, 0 counters, instructions" },
	{ "instructions", 1, "pair, 1 counter, quiet", "pair, 1 counter, busy",
	  "pair, 1 counter, instructions" },
	{ NULL, 4,
	  "pair, 4 counters, quiet", "pair, 4 counters, busy",
	  "pair, 4 counters, instructions" },
};

#define KINDS (sizeof(kinds) / sizeof(kinds[0]))

static SELFTEST_NOINLINE void pair(void)
{
	SELFMON_REGION("pair")
		__asm__ __volatile__("");
}

static SELFTEST_NOINLINE void no_pair(void)
{
	__asm__ __volatile__("");
}

static void repeat(void (*visit)(void), uint64_t n)
{
	while (n-- > 0)
		visit();
}

static int by_value(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/*
 * Returns the median, and sorts the values. Returns a negative number if there
 * are too few values.
 */
static double median(double *value, size_t n)
{
	if (n < 3)
		return -1;
	qsort(value, n, sizeof(*value), by_value);
	return value[n / 2];
}

/*
 * Results of one round: the time of an empty loop, which shows the current
 * speed, and the mean time of a pair.
 */
struct round {
	double loop_ns, pair_ns;
};

static struct round measure(uint64_t pairs)
{
	const uint64_t before = selftest_now_ns();
	uint64_t between, after;

	selftest_loop(LOOP);
	between = selftest_now_ns();
	repeat(pair, pairs);
	after = selftest_now_ns();
	return (struct round){ (double)(between - before),
			       (double)(after - between) / (double)pairs };
}

/*
 * Separates the rounds in which the core was busy. In these rounds the empty
 * loop was slow.
 */
static void split(const struct round *round, size_t n, struct pair_cost *cost)
{
	double quiet[ROUNDS], busy[ROUNDS], fastest = round[0].loop_ns;
	size_t quiets = 0, busies = 0, i;

	for (i = 1; i < n; i++)
		if (round[i].loop_ns < fastest)
			fastest = round[i].loop_ns;
	for (i = 0; i < n; i++)
		if (round[i].loop_ns < BUSY * fastest)
			quiet[quiets++] = round[i].pair_ns;
		else
			busy[busies++] = round[i].pair_ns;
	cost->quiet_ns = median(quiet, quiets);
	cost->busy_ns = median(busy, busies);
	cost->busy_share = (double)busies / (double)n;
}

static uint64_t batch(struct selfmon_counters *set, void (*visit)(void))
{
	struct selfmon_snapshot a, b;
	struct selfmon_delta delta;
	uint64_t least = UINT64_MAX;
	int i;

	for (i = 0; i < BATCHES; i++) {
		selfmon_counters_begin(set, &a);
		repeat(visit, PAIRS);
		selfmon_counters_end(set, &b);
		selfmon_counters_delta(set, &a, &b, &delta);
		if (delta.value[0].verdict != SELFMON_NOT_COUNTED &&
		    delta.value[0].verdict != SELFMON_SCALED &&
		    delta.value[0].count < least)
			least = delta.value[0].count;
	}
	return least;
}

/*
 * Returns the instructions of a pair, or a negative value if they cannot be
 * counted in addition to the region's own events.
 */
static double instructions_of_a_pair(void)
{
	struct selfmon_counters *set;
	uint64_t with, without;

	if (selfmon_counters_open("instructions", SELFMON_COUNTERS_STRICT,
				  &set, NULL) < 1)
		return -1;
	with = batch(set, pair);
	without = batch(set, no_pair);
	selfmon_counters_close(set);
	if (with == UINT64_MAX || without == UINT64_MAX || with < without)
		return -1;
	return (double)(with - without) / PAIRS;
}

static void measure_kind(const struct selftest_case *from, size_t kind,
			 struct pair_cost *cost)
{
	const struct selftest_timer timer = selftest_timer(from, 250);
	struct round round[ROUNDS];
	const char *events = kinds[kind].events;
	struct selftest_row unused = { .name = NULL };
	uint64_t pairs;
	size_t n;

	if (!events)
		events = selftest_four_events();
	if (!events || (kinds[kind].counters && !from->pmu) ||
	    !selftest_configure(events, &unused))
		return;
	repeat(pair, 10);
	pairs = (uint64_t)(ROUND_NS / (measure(10).pair_ns + 1)) + 1;
	for (n = 0; n < ROUNDS && !selftest_is_over(&timer); n++)
		round[n] = measure(pairs);
	if (n < 3)
		return;
	split(round, n, cost);
	cost->instructions = instructions_of_a_pair();
	cost->counted = true;
}

/*
 * Measures one kind in a process of its own, since a process cannot change its
 * events.
 */
static void measure_apart(const struct selftest_case *from, size_t kind,
			  struct pair_cost *cost)
{
	const pid_t pid = fork();

	if (pid == 0) {
		measure_kind(from, kind, cost);
		_exit(0);
	}
	if (pid > 0)
		waitpid(pid, NULL, 0);
}

static void record(size_t kind, const struct pair_cost *cost,
		   struct selftest_row *row)
{
	if (!cost->counted)
		return;
	if (cost->quiet_ns >= 0)
		selftest_figure(row, kinds[kind].quiet, "ns", cost->quiet_ns);
	if (cost->busy_ns >= 0)
		selftest_figure(row, kinds[kind].busy, "ns", cost->busy_ns);
	if (cost->instructions > 0)
		selftest_figure(row, kinds[kind].instructions, "",
				cost->instructions);
	selftest_say(&row->found, "%s%u counter%s %.0f ns",
		     kind ? ", " : "a pair with ", kinds[kind].counters,
		     kinds[kind].counters == 1 ? "" : "s",
		     cost->quiet_ns >= 0 ? cost->quiet_ns : cost->busy_ns);
}

void selftest_cost(const struct selftest_case *from, struct selftest_row *row)
{
	struct pair_cost *cost;
	size_t i;

	cost = mmap(NULL, sizeof(*cost) * KINDS, PROT_READ | PROT_WRITE,
		    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (cost == MAP_FAILED) {
		selftest_absent(row, "no memory");
		return;
	}
	selftest_pin(-1);
	for (i = 0; i < KINDS; i++) {
		measure_apart(from, i, &cost[i]);
		record(i, &cost[i], row);
	}
	selftest_figure(row, "rounds on a busy core", "%",
			cost[0].busy_share * 100);
	if (from->user_reads && from->hypervisor && from->read_ns > TRAP_NS)
		selftest_say(&row->found, "; counter reads trap");
	munmap(cost, sizeof(*cost) * KINDS);
}
