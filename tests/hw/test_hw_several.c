/* SPDX-License-Identifier: MIT */
/*
 * Tests sets that count several threads, each of which executes a loop of known
 * length.
 */
#define _GNU_SOURCE
#include "hw/hw.h"

#include "pool.h"

#define THREADS 4
#define TURNS UINT64_C(1000000)
#define WORK (2 * TURNS * THREADS) /* instructions of all threads */
/* Enough iterations for several rotations of the counters. */
#define LONG_TURNS UINT64_C(20000000)
#define LONG_WORK (2 * LONG_TURNS * THREADS)

static struct pool pool;
static struct selfmon_counters *set;
static struct selfmon_snapshot a, b;
static struct selfmon_delta delta;

static void run_loop(int which)
{
	(void)which;
	hw_loop(TURNS);
}

static void run_long_loop(int which)
{
	(void)which;
	hw_loop(LONG_TURNS);
}

static void *thread_of_its_own(void *unused)
{
	hw_loop(TURNS);
	return unused;
}

static void fork_and_join(void)
{
	pthread_t thread[THREADS];
	int i;

	for (i = 0; i < THREADS; i++)
		cr_assert_eq(pthread_create(&thread[i], NULL,
					    thread_of_its_own, NULL), 0);
	for (i = 0; i < THREADS; i++)
		pthread_join(thread[i], NULL);
}

static void run_pool(void)
{
	pool_run(&pool);
}

/*
 * Counts the work. Runs it once before, so that the dynamic loader's work is
 * done.
 */
static uint64_t count(void (*work)(void))
{
	work();
	selfmon_counters_begin(set, &a);
	work();
	selfmon_counters_end(set, &b);
	selfmon_counters_delta(set, &a, &b, &delta);
	return delta.value[0].count;
}

/* Allows 1 %, because starting and waking threads takes some work. */
static void expect_all(uint64_t counted)
{
	cr_assert(counted >= WORK && counted <= WORK + WORK / 100,
		  "%ju counted of %ju", (uintmax_t)counted, (uintmax_t)WORK);
	cr_assert_eq(delta.value[0].verdict, SELFMON_SYSCALL);
}

static void expect_none(uint64_t counted)
{
	cr_assert_leq(counted, WORK / 100, "%ju counted",
		      (uintmax_t)counted);
}

Test(hw_several, threads_inside_are_counted_by_inherit_alone)
{
	set = hw_open("instructions");
	expect_none(count(fork_and_join));
	selfmon_counters_close(set);
	set = hw_open_with("instructions", SELFMON_COUNTERS_INHERIT);
	expect_all(count(fork_and_join));
	selfmon_counters_close(set);
}

Test(hw_several, a_pool_is_counted_by_process_alone)
{
	pool_start(&pool, THREADS, run_loop);
	set = hw_open_with("instructions", SELFMON_COUNTERS_INHERIT);
	expect_none(count(run_pool));
	selfmon_counters_close(set);
	set = hw_open_with("instructions", SELFMON_COUNTERS_PROCESS);
	expect_all(count(run_pool));
	/* Threads that start later are counted, too. */
	expect_all(count(fork_and_join));
	selfmon_counters_close(set);
	pool_end(&pool);
}

/* Each thread of a pool rotates its own groups. */
Test(hw_several, estimates_over_threads_are_as_good_as_they_say)
{
	uint64_t truth = LONG_WORK, uncertain, counted;
	size_t i;

	hw_require_pmu();
	if (!strcmp(SELFMON_ARCH_NAME, "riscv64"))
		cr_skip_test("QEMU counts instructions on one counter of "
			     "riscv64 alone: copies of the event stay 0");
	pool_start(&pool, THREADS, run_long_loop);
	cr_assert_gt(selfmon_counters_open(
			     "instructions,instructions,instructions,"
			     "instructions,instructions,instructions,"
			     "instructions,instructions",
			     SELFMON_COUNTERS_PROCESS, &set, NULL), 0);
	count(run_pool);
	for (i = 0; i < SELFMON_MAX_COUNTERS; i++) {
		if (delta.value[i].verdict == SELFMON_NOT_COUNTED)
			continue;
		counted = delta.value[i].count;
		uncertain = selfmon_delta_uncertainty(&delta, i) + truth / 100;
		cr_assert(counted + uncertain >= truth &&
				  counted <= truth + uncertain,
			  "%zu: %ju +- %ju of %ju, %s", i, (uintmax_t)counted,
			  (uintmax_t)uncertain, (uintmax_t)truth,
			  selfmon_verdict_name(delta.value[i].verdict));
	}
	selfmon_counters_close(set);
	pool_end(&pool);
}
