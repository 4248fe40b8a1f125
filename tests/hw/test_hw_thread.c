/* SPDX-License-Identifier: MIT */
/* Tests threads, each of which counts only itself. */
#define _GNU_SOURCE
#include "hw/hw.h"

#include <pthread.h>

#include "rows.h"

#define THREADS 8
#define VISITS 500

struct worker {
	pthread_t thread;
	pthread_barrier_t *barrier;
	uint64_t n;
	uint64_t least, most; /* minimum and maximum count of its visits */
	uint64_t once;        /* count of a visit with one iteration */
};

static void start_all(struct worker *worker, void *(*run)(void *),
		      pthread_barrier_t *barrier)
{
	size_t i;

	for (i = 0; i < THREADS; i++) {
		worker[i].barrier = barrier;
		worker[i].n = 1000 * (i + 1);
		cr_assert_eq(pthread_create(&worker[i].thread, NULL, run,
					    &worker[i]),
			     0);
	}
	for (i = 0; i < THREADS; i++)
		pthread_join(worker[i].thread, NULL);
}

static void *count_loops(void *argument)
{
	struct worker *worker = argument;
	struct selfmon_counters *set = hw_open("instructions");
	struct selfmon_delta delta;
	int i;

	hw_visit_loop(set, 1, &delta);
	hw_visit_loop(set, 1, &delta);
	worker->once = delta.value[0].count;
	worker->least = UINT64_MAX;
	pthread_barrier_wait(worker->barrier);
	for (i = 0; i < VISITS; i++) {
		hw_visit_loop(set, worker->n, &delta);
		if (delta.moved) /* a failed attempt to read is counted, too */
			continue;
		if (delta.value[0].count < worker->least)
			worker->least = delta.value[0].count;
		if (delta.value[0].count > worker->most)
			worker->most = delta.value[0].count;
	}
	pthread_barrier_wait(worker->barrier);
	selfmon_counters_close(set);
	return NULL;
}

Test(hw_thread, eight_threads_count_exactly_their_own_loops)
{
	struct worker worker[THREADS] = { { 0 } };
	pthread_barrier_t barrier;
	size_t i;

	hw_require_pmu();
	hw_require_exact();
	pthread_barrier_init(&barrier, NULL, THREADS);
	start_all(worker, count_loops, &barrier);
	for (i = 0; i < THREADS; i++) {
		cr_assert_eq(worker[i].least, worker[i].most, "thread %zu", i);
		cr_assert_eq(worker[i].once, worker[0].once, "thread %zu", i);
		cr_assert_eq(worker[i].least - worker[i].once,
			     2 * (worker[i].n - 1), "thread %zu", i);
	}
	pthread_barrier_destroy(&barrier);
}

static void *visit_regions(void *argument)
{
	struct worker *worker = argument;
	int i;

	selfmon_thread_prepare();
	pthread_barrier_wait(worker->barrier);
	for (i = 0; i < VISITS; i++)
		hw_visit_region(worker->n);
	return NULL;
}

Test(hw_thread, a_report_adds_up_the_regions_of_eight_threads)
{
	const double turns = 1000.0 * THREADS * (THREADS + 1) / 2;
	struct worker worker[THREADS] = { { 0 } };
	const struct selfmon_row *row;
	struct selfmon_report *report;
	pthread_barrier_t barrier;

	hw_require_pmu();
	hw_require_exact();
	hw_configure("instructions");
	pthread_barrier_init(&barrier, NULL, THREADS);
	start_all(worker, visit_regions, &barrier);
	pthread_barrier_destroy(&barrier);
	report = rows_take();
	row = ROWS_GET(report, "loop");
	cr_assert_eq(row->counter[0].visits, THREADS * VISITS);
	hw_expect_net(row, 0, 2 * turns * VISITS);
	selfmon_report_free(report);
}

/*
 * Snapshots taken by a thread that does not own the set, while the owner runs
 * on another CPU.
 */
struct reading {
	const struct selfmon_counters *set;
	struct selfmon_snapshot first, last;
	/*
	 * Number of snapshots that were not read by read(2), or were below the
	 * previous one.
	 */
	int wrong;
	bool done;
};

static void *read_others(void *argument)
{
	struct reading *reading = argument;
	struct selfmon_counters *own;
	struct selfmon_snapshot at;
	int i;

	hw_pin(1);
	own = hw_open("instructions");
	selfmon_counters_begin(reading->set, &reading->first);
	reading->last = reading->first;
	for (i = 0; i < VISITS; i++) {
		selfmon_counters_begin(reading->set, &at);
		reading->wrong += !(at.flags & SELFMON_SNAPSHOT_SLOW) ||
				  at.value[0] < reading->last.value[0];
		reading->last = at;
	}
	selfmon_counters_close(own);
	__atomic_store_n(&reading->done, true, __ATOMIC_RELEASE);
	return NULL;
}

Test(hw_thread, a_thread_that_reads_anothers_set_sees_the_owners_counts)
{
	struct reading reading = { .wrong = 0 };
	struct selfmon_snapshot before, after;
	struct selfmon_counters *set;
	pthread_t thread;

	hw_require_pmu();
	hw_require_cpus(2);
	hw_pin(0);
	set = hw_open("instructions");
	reading.set = set;
	selfmon_counters_begin(set, &before);
	cr_assert_eq(pthread_create(&thread, NULL, read_others, &reading), 0);
	while (!__atomic_load_n(&reading.done, __ATOMIC_ACQUIRE))
		hw_loop(1000);
	selfmon_counters_begin(set, &after);
	pthread_join(thread, NULL);
	cr_assert_eq(reading.wrong, 0, "%d of %d snapshots", reading.wrong,
		     VISITS);
	cr_assert(before.value[0] < reading.first.value[0] &&
		  reading.last.value[0] < after.value[0]);
	selfmon_counters_close(set);
}
