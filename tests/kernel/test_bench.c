/* SPDX-License-Identifier: MIT */
/*
 * Tests selfmon_bench.h with page faults, whose number is exact on every
 * machine.
 */
#define _GNU_SOURCE
#include <criterion/criterion.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include <selfmon_bench.h>

#include "sanitizer.h"

#define AHEAD 5 /* faults of a batch outside of its iterations */

static size_t page_size;
static int calls;
static char order[64];

static void fault(size_t times)
{
	for (; times > 0; times--) {
		char *const page = mmap(NULL, page_size, PROT_WRITE,
					MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		*(volatile char *)page = 1;
		munmap(page, page_size);
	}
}

/*
 * Each iteration causes *context page faults. AHEAD more come before the first
 * iteration.
 */
static void faults(void *context, uint64_t turns)
{
	fault(AHEAD);
	fault((size_t)turns * *(const size_t *)context);
}

static void note(void *context, uint64_t turns)
{
	if ((size_t)calls < sizeof(order))
		order[calls++] = ((const char *)context)[turns - 1];
	usleep(100);
}

static void setup(void)
{
	page_size = (size_t)sysconf(_SC_PAGESIZE);
}

static struct selfmon_counters *set_of(const char *spec)
{
	struct selfmon_counters *set;

	cr_assert_geq(selfmon_counters_open(spec, 0, &set, NULL), 0);
	return set;
}

Test(bench_run, what_a_batch_costs_besides_its_turns_cancels, .init = setup)
{
	static struct selfmon_bench_result result[2];
	static size_t one = 1, three = 3;
	const struct selfmon_bench_case cases[] = {
		{ "one", faults, &one }, { "three", faults, &three },
	};
	struct selfmon_bench_options options = SELFMON_BENCH_OPTIONS_INIT;
	struct selfmon_counters *const set = set_of("page-faults");
	const struct selfmon_bench_quantity *of;

	SKIP_IF_SANITIZED("its shadow memory faults too");
	options.batch_ns = options.warm_up_ns = 1000000;
	options.rounds = 5;
	cr_assert_eq(selfmon_bench_run(set, cases, 2, &options, result), 0);
	of = selfmon_bench_quantity(&result[0], "page-faults");
	cr_expect_eq(of->median, 1, "%g faults a turn", of->median);
	of = selfmon_bench_quantity(&result[1], "page-faults");
	cr_expect_eq(of->median, 3, "%g faults a turn", of->median);
	cr_expect_eq(of->verdict, SELFMON_SYSCALL);
	cr_expect(result[0].turns > 1, "a batch of one turn");
	selfmon_counters_close(set);
}

Test(bench_run, cases_and_lengths_take_turns)
{
	static struct selfmon_bench_result result[2];
	const struct selfmon_bench_case cases[] = {
		{ "a", note, (void *)(uintptr_t) "aA" },
		{ "b", note, (void *)(uintptr_t) "bB" },
	};
	struct selfmon_bench_options options = SELFMON_BENCH_OPTIONS_INIT;
	struct selfmon_counters *const set = set_of("");

	options.batch_ns = options.warm_up_ns = 1;
	options.rounds = 3;
	options.tries = 1; /* a preempted round is not repeated */
	cr_assert_eq(selfmon_bench_run(set, cases, 2, &options, result), 0);
	cr_expect_str_eq(order, "abaAbBBbAaaAbB");
	cr_expect_eq(result[0].rounds, 3);
	selfmon_counters_close(set);
}

/*
 * Each preempted_every-th call waits until this thread is preempted. The other
 * calls only compute.
 */
static unsigned int preempted_every;

static void compute(void *context, uint64_t turns)
{
	static unsigned int count;
	const bool preempted = count++ % preempted_every == 0;
	struct selfmon_thread_usage from, now;
	volatile uint64_t *const sum = context;

	selfmon_thread_usage(&from);
	do
		for (uint64_t i = 0; i < turns; i++)
			*sum += i;
	while (preempted &&
	       (selfmon_thread_usage(&now), now.preempted == from.preempted));
}

/* Set to end the spinning thread, which shares this process's only CPU. */
static bool over;

static void *spin(void *unused)
{
	while (!__atomic_load_n(&over, __ATOMIC_RELAXED))
		;
	return unused;
}

static void run_beside_a_spinner(const struct selfmon_bench_case *one,
				 struct selfmon_bench_options options,
				 struct selfmon_bench_result *result)
{
	struct selfmon_counters *const set = set_of("");
	pthread_t spinner;
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	CPU_SET((size_t)sched_getcpu(), &cpus);
	sched_setaffinity(0, sizeof(cpus), &cpus);
	cr_assert_eq(pthread_create(&spinner, NULL, spin, NULL), 0);
	options.rounds = 5;
	cr_assert_eq(selfmon_bench_run(set, one, 1, &options, result), 0);
	__atomic_store_n(&over, true, __ATOMIC_RELAXED);
	pthread_join(spinner, NULL);
	selfmon_counters_close(set);
}

static void compute_beside_a_spinner(struct selfmon_bench_result *result,
				     unsigned int tries)
{
	static uint64_t sum;
	const struct selfmon_bench_case one = { "compute", compute, &sum };
	struct selfmon_bench_options options = SELFMON_BENCH_OPTIONS_INIT;

	options.batch_ns = options.warm_up_ns = 1000;
	options.tries = tries;
	run_beside_a_spinner(&one, options, result);
}

/* Each batch is preempted, so all rounds count as disturbed. */
Test(bench_run, says_how_many_rounds_were_disturbed)
{
	static struct selfmon_bench_result result;

	preempted_every = 1;
	compute_beside_a_spinner(&result, 2);
	cr_expect_eq(result.disturbed, 5);
	cr_expect_eq(result.dropped, 0);
	for (unsigned int i = 0; i < result.quantity[0].count; i++)
		cr_expect_gt(result.quantity[0].sample[i], 0);
}

/*
 * A round measures one pair of batches. Every third batch is preempted, which
 * disturbs two of three pairs. So a round is valid with the third pair at the
 * latest.
 */
Test(bench_run, measures_a_disturbed_round_again)
{
	static struct selfmon_bench_result result;

	preempted_every = 3;
	compute_beside_a_spinner(&result, 1000);
	cr_expect_eq(result.disturbed, 0);
	cr_expect_eq(result.dropped, 0);
}

/* Each call is preempted and takes little CPU time. */
static void rest(void *unused, uint64_t turns)
{
	struct selfmon_thread_usage from, now;

	(void)unused;
	selfmon_thread_usage(&from);
	do {
		sched_yield();
		selfmon_thread_usage(&now);
	} while (now.preempted == from.preempted);
	while (turns-- > 0)
		usleep(1000);
}

/*
 * The warm-up must not wait until a batch has used 1 ms of CPU time. The case
 * mostly sleeps, so such a batch would take about 0.1 s.
 */
Test(bench_run, warms_up_a_case_that_sleeps_beside_a_spinner)
{
	static struct selfmon_bench_result result;
	const struct selfmon_bench_case one = { "rest", rest, NULL };
	struct selfmon_bench_options options = SELFMON_BENCH_OPTIONS_INIT;

	options.batch_ns = options.warm_up_ns = 1000000;
	options.tries = 1;
	run_beside_a_spinner(&one, options, &result);
	cr_expect_leq(result.turns, 16, "%g turns", (double)result.turns);
}

Test(bench_run, refuses_too_few_rounds_and_too_many)
{
	struct selfmon_bench_options options = SELFMON_BENCH_OPTIONS_INIT;
	struct selfmon_counters *const set = set_of("");

	options.rounds = 2;
	cr_expect_eq(selfmon_bench_run(set, NULL, 0, &options, NULL), -EINVAL);
	options.rounds = SELFMON_BENCH_ROUNDS_MAX + 1;
	cr_expect_eq(selfmon_bench_run(set, NULL, 0, &options, NULL), -EINVAL);
	options.rounds = 3;
	options.tries = 0;
	cr_expect_eq(selfmon_bench_run(set, NULL, 0, &options, NULL), -EINVAL);
	selfmon_counters_close(set);
}

/*
 * Runs selfmon_bench_main() with a case that has this number of page faults per
 * iteration. Its output is discarded; later output of the test is shown.
 */
static int run_main(size_t faults_a_turn, const char *a, const char *b,
		    const char *c)
{
	char *argv[] = { (char *)(uintptr_t) "bench",
			 (char *)(uintptr_t) "--rounds=11",
			 (char *)(uintptr_t) "--events=page-faults",
			 (char *)(uintptr_t) "--runs=1",
			 (char *)(uintptr_t)a, (char *)(uintptr_t)b,
			 (char *)(uintptr_t)c };
	const struct selfmon_bench_case one = { "faults", faults,
						&faults_a_turn };
	const int out = dup(STDOUT_FILENO), err = dup(STDERR_FILENO);
	const int silence = open("/dev/null", O_WRONLY);
	int argc = 4, status;

	while (argc < 7 && argv[argc])
		argc++;
	cr_assert(out >= 0 && err >= 0 && silence >= 0);
	fflush(stdout);
	dup2(silence, STDOUT_FILENO);
	dup2(silence, STDERR_FILENO);
	status = selfmon_bench_main(argc, argv, &one, 1);
	fflush(stdout);
	dup2(out, STDOUT_FILENO);
	dup2(err, STDERR_FILENO);
	close(out);
	close(err);
	close(silence);
	return status;
}

Test(bench_main, fails_by_its_gate_alone, .init = setup)
{
	char path[] = "/tmp/test-bench-XXXXXX", json[64], baseline[64];
	int fd;

	SKIP_IF_SANITIZED("its shadow memory faults too");
	fd = mkstemp(path);
	cr_assert(fd >= 0);
	snprintf(json, sizeof(json), "--json=%s", path);
	snprintf(baseline, sizeof(baseline), "--baseline=%s", path);
	cr_expect_eq(run_main(2, json, NULL, NULL), 0);
	cr_expect_eq(run_main(2, baseline, "--gate-on=page-faults",
			      "--gate=10"), 0);
	cr_expect_eq(run_main(3, baseline, "--gate-on=page-faults",
			      "--gate=10"), 1);
	cr_expect_eq(run_main(3, baseline, "--gate-on=page-faults",
			      "--gate=60"), 0);
	cr_expect_eq(run_main(3, baseline, "--gate-on=instructions",
			      "--gate=10"),
		     SELFMON_BENCH_SKIPPED, "passed without instructions");
	close(fd);
	unlink(path);
}

Test(bench_main, refuses_what_it_does_not_understand, .init = setup)
{
	cr_expect_eq(run_main(1, "--gate=", NULL, NULL), 2);
	cr_expect_eq(run_main(1, "--rounds=3x", NULL, NULL), 2);
	cr_expect_eq(run_main(1, "--no-such", NULL, NULL), 2);
	cr_expect_eq(run_main(1, "--rounds=2", NULL, NULL), 2);
	cr_expect_eq(run_main(1, "--runs=0", NULL, NULL), 2);
	cr_expect_eq(run_main(1, "--runs=15", "--rounds=101", NULL), 2);
	cr_expect_eq(run_main(1, "--gate=-1", NULL, NULL), 2);
	cr_expect_eq(run_main(1, "--gate=1", NULL, NULL), 2);
	cr_expect_eq(run_main(1, "--gate=1", "--baseline=/no/such", NULL), 2);
	cr_expect_eq(run_main(1, "--filter=no such case", NULL, NULL), 2);
	cr_expect_eq(run_main(1, "--events=no-such", NULL, NULL), 2);
}
