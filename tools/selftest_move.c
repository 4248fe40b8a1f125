/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "selftest_move.h"

#include <sched.h>
#include <stdlib.h>

#include "selftest_row.h"
#include "selftest_work.h"

#define SPEC "instructions"
#define HALF UINT64_C(10000) /* instructions on each of the two CPUs */
#define VISITS 4000
#define CPUS 64

/* Chooses some of the CPUs that this thread may use, evenly distributed. */
static size_t allowed_cpus(int cpu[CPUS])
{
	size_t count, step, seen = 0, n = 0;
	cpu_set_t all;
	size_t i;

	if (sched_getaffinity(0, sizeof(all), &all))
		return 0;
	count = (size_t)CPU_COUNT(&all);
	step = (count + CPUS - 1) / CPUS;
	for (i = 0; i < CPU_SETSIZE; i++)
		if (CPU_ISSET(i, &all) && seen++ % step == 0 && n < CPUS)
			cpu[n++] = (int)i;
	return n;
}

/*
 * Executes half of the work, moves to this CPU (which may be the current one),
 * and executes the other half.
 */
static SELFTEST_NOINLINE void visit_two(struct selfmon_counters *set, int cpu,
					struct selfmon_delta *delta)
{
	struct selfmon_snapshot a, b;

	selfmon_counters_begin(set, &a);
	selftest_loop(HALF / 2);
	selftest_pin(cpu);
	selftest_loop(HALF / 2);
	selfmon_counters_end(set, &b);
	selfmon_counters_delta(set, &a, &b, delta);
}

/*
 * Returns the instructions outside of the loops in a visit that does not move.
 */
static uint64_t constant_of(struct selfmon_counters *set, int cpu)
{
	uint64_t least = UINT64_MAX;
	struct selfmon_delta delta;
	int i;

	for (i = 0; i < 100; i++) {
		struct selftest_sample sample;

		visit_two(set, cpu, &delta);
		sample = selftest_sample(set, &delta);
		if (selftest_is_counted(&sample) &&
		    sample.count - 2 * HALF < least)
			least = sample.count - 2 * HALF;
	}
	return least;
}

struct moves {
	uint64_t moved, marked, wrongly;
};

static void note_move(struct moves *moves, bool moved, uint32_t flags)
{
	const bool marked = flags & SELFMON_DELTA_MIGRATED;

	moves->moved += moved;
	moves->marked += moved && marked;
	moves->wrongly += !moved && marked;
}

static void visit_all(const struct selftest_case *from,
		      struct selfmon_counters *set, const int *cpu, size_t cpus,
		      struct selftest_counts *to, struct moves *moves)
{
	const struct selftest_timer timer = selftest_timer(from, 800);
	struct selfmon_delta delta;
	size_t at = 0, next;

	to->causes = selftest_causes();
	to->ns = selftest_now_ns();
	while (to->count < VISITS && !selftest_is_over(&timer)) {
		next = to->count % 3 == 2 ? at : (at + 1) % cpus;
		visit_two(set, cpu[next], &delta);
		note_move(moves, next != at, delta.flags);
		to->sample[to->count++] = selftest_sample(set, &delta);
		at = next;
	}
	to->ns = selftest_now_ns() - to->ns;
	/*
	 * The number of interrupts on other CPUs is unknown, so the number on
	 * this one is assumed for each.
	 */
	to->causes = (selftest_causes() - to->causes) * cpus + moves->moved;
}

static void judge_marks(const struct moves *moves, struct selftest_row *row)
{
	if (moves->marked != moves->moved)
		selftest_differs(row, (double)moves->moved,
				 (double)moves->moved, (double)moves->marked,
				 "visits marked as ended on another CPU");
	if (moves->wrongly)
		selftest_differs(row, 0, 0, (double)moves->wrongly,
				 "visits marked so that did not move");
}

void selftest_move(const struct selftest_case *from, struct selftest_row *row)
{
	struct selftest_counts counts = { .what = "a visit on two CPUs",
					  .size = 2 * HALF, .moving = true,
					  .hypervisor = from->hypervisor };
	struct moves moves = { 0 };
	struct selfmon_counters *set;
	int cpu[CPUS];
	const size_t cpus = allowed_cpus(cpu);
	size_t n;

	if (cpus < 2) {
		selftest_absent(row, "this process may run on one CPU only");
		return;
	}
	if (!selftest_open(SPEC, 0, &set, row))
		return;
	counts.sample = calloc(VISITS, sizeof(*counts.sample));
	if (!counts.sample) {
		selfmon_counters_close(set);
		selftest_absent(row, "out of memory");
		return;
	}
	selftest_pin(cpu[0]);
	counts.expected = 2 * HALF + constant_of(set, cpu[0]);
	visit_all(from, set, cpu, cpus, &counts, &moves);
	selfmon_counters_close(set);
	n = selftest_judge_counts(&counts, row);
	judge_marks(&moves, row);
	selftest_figure(row, "CPUs", "", (double)cpus);
	selftest_figure(row, "moves", "", (double)moves.moved);
	selftest_figure(row, "refused", "", (double)(counts.count - n));
	selftest_say(&row->found, "%zu CPUs, %.0f moves: each marked, %zu "
		     "values refused", cpus, (double)moves.moved,
		     counts.count - n);
	selftest_visits_free(&counts);
}

/* ---- preempt ------------------------------------------------------------- */

#define LOOP UINT64_C(100000)
#define LOOPS 20000

void selftest_preempt(const struct selftest_case *from,
		      struct selftest_row *row)
{
	struct selfmon_thread_usage before, after;
	struct selfmon_counters *set;
	struct selftest_counts counts;
	uint64_t constant, switches;
	pid_t spinner;

	selftest_pin(-1);
	if (!selftest_open(SPEC, 0, &set, row))
		return;
	constant = selftest_constant(set, 500);
	spinner = selftest_spinner();
	selfmon_thread_usage(&before);
	counts = selftest_visits(set, from, LOOP, constant, LOOPS, 850);
	selfmon_thread_usage(&after);
	selftest_end(spinner);
	selfmon_counters_close(set);
	counts.what = "a visit next to a busy process";
	selftest_judge_counts(&counts, row);
	switches = after.preempted - before.preempted + after.blocked -
		   before.blocked;
	if (!switches)
		selftest_busy(row, "no context switch in %zu visits",
			      counts.count);
	selftest_figure(row, "visits", "", (double)counts.count);
	selftest_figure(row, "context switches", "", (double)switches);
	selftest_say(&row->found, "%zu visits next to a busy process, %.0f "
		     "context switches", counts.count, (double)switches);
	selftest_visits_free(&counts);
}
