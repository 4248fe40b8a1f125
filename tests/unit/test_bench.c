/* SPDX-License-Identifier: MIT */
/*
 * Tests selfmon_bench.h without measuring: its statistics, its JSON and its
 * gate.
 */
#include <criterion/criterion.h>
#include <math.h>

#include <selfmon_bench.h>

#define ROUNDS 31
#define RUN SELFMON_BENCH_ROUNDS_MAX /* the first slot of run 1 */

/*
 * Adds ROUNDS rounds to a run. Their values are 0, 1 and 2 parts in a thousand
 * above a level, in turn.
 */
static void add_run(struct selfmon_bench_quantity *of, unsigned int run,
		    double level)
{
	unsigned int i;

	for (i = 0; i < ROUNDS; i++) {
		of->slot[of->count] = (uint16_t)(run * RUN + i);
		of->sample[of->count++] = level * (1 + i % 3 / 1000.0);
	}
}

/* Fills in a result with one run for each level. A level of 0 ends the list. */
static void fill_runs(struct selfmon_bench_result *result, const char *name,
		      const double *cpu, double instructions)
{
	static const char *const names[] = { "real-time", "cpu-time",
					     "instructions" };
	unsigned int q, run;

	memset(result, 0, sizeof(*result));
	result->name = name;
	result->turns = 64;
	result->quantities = 3;
	for (q = 0; q < 3; q++) {
		struct selfmon_bench_quantity *const of = &result->quantity[q];

		of->name = names[q];
		of->verdict = SELFMON_EXACT;
		for (run = 0; cpu[run] > 0; run++)
			add_run(of, run, q == 2 ? instructions : cpu[run]);
		result->rounds = of->count;
		selfmon_bench_summarise(of);
	}
}

static void fill(struct selfmon_bench_result *result, const char *name,
		 double ns, double instructions)
{
	fill_runs(result, name, (double[]){ ns, 0 }, instructions);
}

static FILE *written(const struct selfmon_bench_result *results, size_t count)
{
	FILE *const stream = tmpfile();

	cr_assert_not_null(stream);
	cr_assert_eq(selfmon_bench_json(results, count, stream), 0);
	return stream;
}

static char said[4096]; /* the gate's log */

/*
 * Runs the gate, which allows the quantity to grow by 1 %. The baseline and the
 * new results have `count` results each.
 */
static int gate_on(const struct selfmon_bench_result *before,
		   const struct selfmon_bench_result *now, size_t count,
		   const char *quantity)
{
	FILE *const baseline = written(before, count);
	FILE *const log = tmpfile();
	const int ret = selfmon_bench_gate(now, count, baseline, quantity, 1,
					   log);

	rewind(log);
	said[fread(said, 1, sizeof(said) - 1, log)] = '\0';
	fclose(baseline);
	fclose(log);
	return ret;
}

static int gate(const struct selfmon_bench_result *before,
		const struct selfmon_bench_result *now)
{
	return gate_on(before, now, 1, "instructions");
}

/* Fills in a case and the two reference loops, each in ns. */
static void fill_machine(struct selfmon_bench_result *results, double cpu,
			 double latency, double throughput)
{
	fill(&results[0], "copy", cpu, 1000);
	fill(&results[1], "reference/latency", latency, 100);
	fill(&results[2], "reference/throughput", throughput, 100);
}

Test(bench, the_median_has_an_interval_around_it)
{
	static struct selfmon_bench_quantity of = { .count = 5 };
	static struct selfmon_bench_quantity again;

	memcpy(of.sample, (double[]){ 5, 1, 4, 900, 3 }, 5 * sizeof(double));
	again = of;
	selfmon_bench_summarise(&of);
	cr_expect_eq(of.median, 4);
	cr_expect_eq(of.minimum, 1);
	cr_expect(of.low >= 1 && of.low < 4, "low is %g", of.low);
	cr_expect(of.high > 4 && of.high <= 900, "high is %g", of.high);
	selfmon_bench_summarise(&again);
	cr_expect(again.low == of.low && again.high == of.high);
}

Test(bench, samples_that_agree_leave_no_doubt)
{
	struct selfmon_bench_quantity of = { .count = 4 };

	memcpy(of.sample, (double[]){ 7, 7, 7, 7 }, 4 * sizeof(double));
	selfmon_bench_summarise(&of);
	cr_expect(of.median == 7 && of.low == 7 && of.high == 7);
}

Test(bench, what_befalls_both_of_a_round_cancels)
{
	struct selfmon_bench_quantity a = { .count = 9 }, b = { .count = 9 };
	struct selfmon_bench_quantity ratio;
	unsigned int i;

	for (i = 0; i < 9; i++) {
		a.sample[i] = 10 << i; /* the machine gets slower */
		b.sample[i] = 3 * a.sample[i];
	}
	cr_assert_eq(selfmon_bench_compare(&a, &b, &ratio), 0);
	cr_expect(ratio.median == 3 && ratio.low == 3 && ratio.high == 3);
}

Test(bench, there_is_no_ratio_to_what_was_not_counted)
{
	struct selfmon_bench_quantity a = { .count = 0 }, b = { .count = 9 };
	struct selfmon_bench_quantity ratio;

	cr_expect_eq(selfmon_bench_compare(&a, &b, &ratio), -ENODATA);
	a.count = 9; /* all 0 */
	cr_expect_eq(selfmon_bench_compare(&a, &b, &ratio), -ENODATA);
}

/*
 * The medians of the three runs differ much, although the rounds of each run
 * agree.
 */
Test(bench, the_interval_holds_what_runs_differ_by)
{
	static struct selfmon_bench_result result;

	fill_runs(&result, "copy", (double[]){ 100, 104, 98, 0 }, 1);
	cr_expect(result.quantity[SELFMON_BENCH_CPU_TIME].low < 98.3);
	cr_expect(result.quantity[SELFMON_BENCH_CPU_TIME].high > 103.9);
	cr_expect_float_eq(result.quantity[SELFMON_BENCH_CPU_TIME].median,
			   100.1, 1e-9);
}

Test(bench, rounds_that_one_case_lacks_are_left_out_of_the_ratio)
{
	static struct selfmon_bench_quantity a = { .count = 3 };
	static struct selfmon_bench_quantity b = { .count = 3 }, ratio;

	memcpy(a.sample, (double[]){ 1, 10, 100 }, 3 * sizeof(double));
	memcpy(a.slot, (uint16_t[]){ 0, 1, 3 }, 3 * sizeof(uint16_t));
	memcpy(b.sample, (double[]){ 20, 7, 200 }, 3 * sizeof(double));
	memcpy(b.slot, (uint16_t[]){ 1, 2, 3 }, 3 * sizeof(uint16_t));
	cr_assert_eq(selfmon_bench_compare(&a, &b, &ratio), 0);
	cr_expect_eq(ratio.count, 2);
	cr_expect(ratio.low == 2 && ratio.high == 2);
}

Test(bench, the_gate_fails_on_more_instructions)
{
	static struct selfmon_bench_result before, now;

	fill(&before, "copy", 50, 1000);
	fill(&now, "copy", 50, 1020);
	cr_expect_eq(gate(&before, &now), SELFMON_BENCH_REGRESSION);
	fill(&now, "copy", 50, 1005);
	cr_expect_eq(gate(&before, &now), SELFMON_BENCH_PASS, "%s", said);
	fill(&now, "copy", 50, 500);
	cr_expect_eq(gate(&before, &now), SELFMON_BENCH_PASS);
}

Test(bench, an_interval_around_the_limit_is_inconclusive)
{
	static struct selfmon_bench_result before, now;

	fill_runs(&before, "copy", (double[]){ 100, 102, 101, 0 }, 1);
	fill_runs(&now, "copy", (double[]){ 103, 101, 100, 0 }, 1);
	cr_expect_eq(gate_on(&before, &now, 1, "cpu-time"),
		     SELFMON_BENCH_INCONCLUSIVE, "%s", said);
	fill_runs(&now, "copy", (double[]){ 113, 111, 110, 0 }, 1);
	cr_expect_eq(gate_on(&before, &now, 1, "cpu-time"),
		     SELFMON_BENCH_REGRESSION, "%s", said);
	fill_runs(&now, "copy", (double[]){ 93, 91, 90, 0 }, 1);
	cr_expect_eq(gate_on(&before, &now, 1, "cpu-time"),
		     SELFMON_BENCH_PASS, "%s", said);
}

Test(bench, the_gate_says_what_it_compared)
{
	static struct selfmon_bench_result before, now;

	fill(&before, "copy", 1000, 1);
	fill(&now, "copy", 1100, 1);
	cr_expect_eq(gate_on(&before, &now, 1, "cpu-time"),
		     SELFMON_BENCH_REGRESSION);
	cr_expect_eq(strncmp(said, "copy: cpu-time 1001 -> 1101.1 ns (+10.0 %, "
				   "95 %: ", 49), 0, "%s", said);
	cr_expect_not_null(strstr(said, "limit 1 %): regression\n"), "%s", said);
}

/*
 * First, the case and both reference loops are slower by 9 %, as with a slower
 * CPU clock: this is no regression. Then the case alone is slower by another
 * 10 %.
 */
Test(bench, a_slower_clock_is_no_regression)
{
	static struct selfmon_bench_result before[3], now[3];

	fill_machine(before, 1000, 70, 50);
	fill_machine(now, 1090, 70 * 1.09, 50 * 1.09);
	cr_expect_eq(gate_on(before, now, 3, "cpu-time"), SELFMON_BENCH_PASS,
		     "%s", said);
	cr_expect_not_null(strstr(said, "machine 9.0 % slower"), "%s", said);
	cr_expect_null(strstr(said, "reference"), "%s", said);
	fill_machine(now, 1090 * 1.1, 70 * 1.09, 50 * 1.09);
	cr_expect_eq(gate_on(before, now, 3, "cpu-time"),
		     SELFMON_BENCH_REGRESSION, "%s", said);
}

/*
 * The case needs 10 % more clock cycles, but the CPU clock is 9 % faster, so
 * the time grows by less than 1 %. The gate still finds the regression.
 */
Test(bench, a_faster_clock_hides_no_regression)
{
	static struct selfmon_bench_result before[3], now[3];

	fill_machine(before, 1090, 70 * 1.09, 50 * 1.09);
	fill_machine(now, 1100, 70, 50);
	cr_expect_eq(gate_on(before, now, 3, "cpu-time"),
		     SELFMON_BENCH_REGRESSION, "%s", said);
}

/*
 * One reference loop is slower, the other is not. So it is unknown how much
 * slower the machine makes the case.
 */
Test(bench, a_shared_core_is_inconclusive)
{
	static struct selfmon_bench_result before[3], now[3];

	fill_machine(before, 1000, 70, 50);
	fill_machine(now, 1300, 70, 100);
	cr_expect_eq(gate_on(before, now, 3, "cpu-time"),
		     SELFMON_BENCH_INCONCLUSIVE, "%s", said);
}

Test(bench, counts_are_not_corrected_for_the_machine)
{
	static struct selfmon_bench_result before[3], now[3];

	fill_machine(before, 1000, 70, 50);
	fill_machine(now, 1000, 140, 100);
	cr_expect_eq(gate_on(before, now, 3, "instructions"),
		     SELFMON_BENCH_PASS, "%s", said);
	cr_expect_null(strstr(said, "machine"), "%s", said);
}

Test(bench, what_was_0_and_is_not_is_a_regression)
{
	static struct selfmon_bench_result before, now;

	fill(&before, "copy", 50, 0);
	fill(&now, "copy", 50, 3);
	cr_expect_eq(gate(&before, &now), SELFMON_BENCH_REGRESSION);
	fill(&now, "copy", 50, 0);
	cr_expect_eq(gate(&before, &now), SELFMON_BENCH_PASS, "%s", said);
}

Test(bench, the_gate_on_instructions_ignores_time)
{
	static struct selfmon_bench_result before, now;

	fill(&before, "copy", 50, 1000);
	fill(&now, "copy", 5000, 1000);
	cr_expect_eq(gate(&before, &now), SELFMON_BENCH_PASS);
}

Test(bench, the_gate_finds_a_case_with_a_long_name)
{
	static struct selfmon_bench_result before, now;
	static char name[401];

	memset(name, 'n', sizeof(name) - 1);
	fill(&before, name, 50, 1000);
	fill(&now, name, 50, 1000);
	cr_expect_eq(gate(&before, &now), SELFMON_BENCH_PASS, "%s", said);
}

Test(bench, the_gate_does_not_pass_what_it_cannot_judge)
{
	static struct selfmon_bench_result before, now;

	fill(&before, "copy", 50, 1000);
	fill(&now, "copy", 50, 1000);
	now.quantity[2].count = 0;
	now.quantity[2].verdict = SELFMON_NOT_COUNTED;
	cr_expect_eq(gate(&before, &now), -ENODATA);
	cr_expect_str_eq(said, "copy: not judged: instructions is not counted "
			       "here\n");
	fill(&now, "move", 50, 1000);
	cr_expect_eq(gate(&before, &now), -ENODATA);
	cr_expect_str_eq(said, "move: not judged: the baseline has no "
			       "instructions of it\n");
}

/*
 * Rounds in results of older versions have no "slot". Their cpu_time is a copy
 * of real_time, unless task-clock was counted.
 */
Test(bench, a_baseline_of_an_older_version_is_refused_with_the_reason)
{
	static struct selfmon_bench_result now;
	FILE *const baseline = tmpfile(), *const log = tmpfile();

	fputs("    {\"name\": \"copy\", \"run_name\": \"copy\", "
	      "\"run_type\": \"iteration\", \"repetition_index\": 0, "
	      "\"real_time\": 50, \"cpu_time\": 50},\n"
	      "    {\"name\": \"copy_median\", \"run_name\": \"copy\", "
	      "\"real_time\": 50, \"cpu_time\": 50}\n", baseline);
	fill(&now, "copy", 50, 1000);
	cr_expect_eq(selfmon_bench_gate(&now, 1, baseline, "cpu-time", 1, log),
		     -ENODATA);
	rewind(log);
	said[fread(said, 1, sizeof(said) - 1, log)] = '\0';
	cr_expect_not_null(strstr(said, "copy: not judged: the baseline has 0 "
				  "usable rounds, at least 3 are needed: write "
				  "it again with --json"), "%s", said);
	fclose(baseline);
	fclose(log);
}

Test(bench, a_baseline_is_found_by_any_name)
{
	static struct selfmon_bench_result results[3];
	static struct selfmon_bench_quantity of;
	double median = 0;
	FILE *stream;

	fill(&results[0], "copy/8", 50, 1000);
	fill_runs(&results[1], "copy", (double[]){ 50, 60, 0 }, 2000);
	fill(&results[2], "a \"quoted\\\" one\n", 50, 3000);
	stream = written(results, 3);
	cr_expect_eq(selfmon_bench_baseline(stream, "copy", "instructions",
					    &median), 0);
	cr_expect_float_eq(median, 2002, 1e-9);
	cr_expect_eq(selfmon_bench_baseline(stream, results[2].name,
					    "instructions", &median), 0);
	cr_expect_float_eq(median, 3003, 1e-9);
	cr_expect_eq(selfmon_bench_baseline(stream, "copy", "cycles", &median),
		     -ENODATA);
	cr_expect_eq(selfmon_bench_baseline_samples(stream, "copy", "cpu-time",
						    &of), 0);
	cr_expect_eq(of.count, 2 * ROUNDS);
	cr_expect_eq(of.slot[ROUNDS], RUN);
	cr_expect_eq(of.sample[ROUNDS], 60);
	fclose(stream);
}

/* Like slope(), but batch 0, the shorter one, takes more_ns longer. */
static void slope_after(struct selfmon_bench_result *result,
			unsigned int round, double ns, double cpu_ns,
			double count, double more_ns)
{
	struct selfmon_impl_bench_batch batch[2];

	memset(batch, 0, sizeof(batch));
	batch[0].ns = 1000 + more_ns;
	batch[0].cpu_ns = 1000;
	batch[1].ns = 1000 + ns * (double)result->turns;
	batch[1].cpu_ns = 1000 + cpu_ns * (double)result->turns;
	batch[0].delta.value[0].count = 1000;
	batch[1].delta.value[0].count =
		(uint64_t)(1000 + count * (double)result->turns);
	batch[0].delta.value[0].verdict = SELFMON_SYSCALL;
	batch[1].delta.value[0].verdict = SELFMON_SYSCALL;
	selfmon_impl_bench_slope(batch, round, result);
}

/*
 * Adds a round whose slopes are these values per iteration: ns, cpu_ns (CPU
 * time) and count (of the event).
 */
static void slope(struct selfmon_bench_result *result, unsigned int round,
		  double ns, double cpu_ns, double count)
{
	slope_after(result, round, ns, cpu_ns, count, 0);
}

static void start(struct selfmon_bench_result *result, unsigned int rounds)
{
	unsigned int i;

	memset(result, 0, sizeof(*result));
	result->turns = 10;
	result->rounds = rounds;
	result->quantities = 3;
	for (i = 0; i < 3; i++)
		result->quantity[i].verdict = SELFMON_EXACT;
}

/*
 * A preemption during the shorter batch made the slope of the real time
 * negative.
 */
Test(bench, a_time_below_0_is_no_sample)
{
	static struct selfmon_bench_result result;

	start(&result, 2);
	slope(&result, 0, -50, 5, -1);
	slope(&result, 1, 6, 6, 1);
	cr_expect_eq(result.quantity[SELFMON_BENCH_REAL_TIME].count, 1);
	cr_expect_eq(result.quantity[SELFMON_BENCH_REAL_TIME].sample[0], 6);
	cr_expect_eq(result.quantity[SELFMON_BENCH_REAL_TIME].slot[0], 1);
	cr_expect_eq(result.quantity[SELFMON_BENCH_CPU_TIME].count, 2);
	cr_expect_eq(result.quantity[2].count, 2);
	cr_expect_eq(result.quantity[2].sample[0], 0, "a count below 0");
	cr_expect_eq(result.quantity[2].verdict, SELFMON_SYSCALL);
}

Test(bench, disturbed_rounds_are_left_out_while_enough_are_left)
{
	static struct selfmon_bench_result result;
	bool disturbed[8] = { [1] = true, [4] = true };
	unsigned int i;

	start(&result, 8);
	for (i = 0; i < 8; i++)
		slope(&result, i, disturbed[i] ? 9000 : 6, 6, 1);
	selfmon_impl_bench_settle(&result, disturbed);
	cr_expect_eq(result.dropped, 2);
	cr_expect_eq(result.disturbed, 0);
	for (i = 0; i < 3; i++)
		cr_expect_eq(result.quantity[i].count, 6);
	selfmon_bench_summarise(&result.quantity[0]);
	cr_expect_eq(result.quantity[0].high, 6);
}

Test(bench, a_disturbed_batch_makes_no_minimum)
{
	static struct selfmon_bench_result result, other;
	struct selfmon_bench_quantity *const of = &result.quantity[0];
	unsigned int i;

	start(&result, 8);
	for (i = 0; i < 8; i++)
		slope_after(&result, i, i == 5 ? 6 : 7, 6, 1,
			    i == 3 ? 60 : 0);
	selfmon_bench_summarise(of);
	cr_expect_eq(of->sample[3], 1, "sample 3 is %g", of->sample[3]);
	cr_expect_eq(of->minimum, 6, "the minimum is %g", of->minimum);
	/* The minimum of a further run is used if it is lower. */
	start(&other, 8);
	for (i = 0; i < 8; i++)
		slope(&other, i, 5, 6, 1);
	selfmon_impl_bench_merge(&result, &other, 1, 1);
	selfmon_bench_summarise(of);
	cr_expect_eq(of->minimum, 5, "of two runs it is %g", of->minimum);
	selfmon_impl_bench_merge(&other, &result, 1, 1);
	selfmon_bench_summarise(&other.quantity[0]);
	cr_expect_eq(other.quantity[0].minimum, 5);
}

Test(bench, where_too_few_are_left_the_table_says_how_many_were_disturbed)
{
	static struct selfmon_bench_result result;
	const bool disturbed[8] = { true, true, true, true, true, true };
	FILE *const stream = tmpfile();
	unsigned int i;

	start(&result, 8);
	result.name = "copy";
	for (i = 0; i < 3; i++)
		result.quantity[i].name = "time";
	for (i = 0; i < 8; i++)
		slope(&result, i, 6, 6, 1);
	selfmon_impl_bench_settle(&result, disturbed);
	cr_expect_eq(result.quantity[0].count, 8);
	cr_expect_eq(selfmon_bench_print(&result, 1, stream), 0);
	rewind(stream);
	said[fread(said, 1, sizeof(said) - 1, stream)] = '\0';
	cr_expect_not_null(strstr(said, "disturbed 6 of 8"), "%s", said);
	cr_expect_null(strstr(said, "exact"), "%s", said);
	cr_expect_null(strstr(said, "syscall"), "%s", said);
	fclose(stream);
}

Test(bench, the_table_names_the_unit_of_clocks)
{
	static struct selfmon_bench_result result;
	FILE *const stream = tmpfile();

	fill(&result, "copy", 50, 1000);
	result.quantity[SELFMON_BENCH_FIRST_EVENT].name = "task-clock:u";
	cr_expect_eq(selfmon_bench_print(&result, 1, stream), 0);
	rewind(stream);
	said[fread(said, 1, sizeof(said) - 1, stream)] = '\0';
	cr_expect_not_null(strstr(said, "cpu-time, ns "), "%s", said);
	cr_expect_not_null(strstr(said, "task-clock:u, ns "), "%s", said);
	fclose(stream);
}

Test(bench, the_table_escapes_names)
{
	static struct selfmon_bench_result results[2];
	FILE *const stream = tmpfile();

	fill(&results[0], "\x1b[2J", 50, 1000);
	fill(&results[1], "\xe2\x80\xae" "evil", 50, 1000);
	cr_expect_eq(selfmon_bench_print(results, 2, stream), 0);
	cr_expect_eq(selfmon_bench_print_ratios(results, 2, stream), 0);
	cr_expect_eq(selfmon_bench_json(results, 2, stream), 0);
	rewind(stream);
	said[fread(said, 1, sizeof(said) - 1, stream)] = '\0';
	cr_expect_not_null(strstr(said, "\n\\x1B[2J "), "%s", said);
	cr_expect_not_null(strstr(said, "\n\\xE2\\x80\\xAEevil "), "%s", said);
	cr_expect_not_null(strstr(said, "\"\\u001B[2J\""), "%s", said);
	cr_expect_null(strchr(said, 0x1b), "%s", said);
	cr_expect_null(strstr(said, "\xe2\x80\xae"), "%s", said);
	fclose(stream);
}

Test(bench, the_table_has_ratios_to_the_first_case)
{
	static struct selfmon_bench_result results[2];
	FILE *const stream = tmpfile();

	fill(&results[0], "copy", 50, 1000);
	fill(&results[1], "move", 100, 3000);
	cr_expect_eq(selfmon_bench_print_ratios(results, 2, stream), 0);
	rewind(stream);
	said[fread(said, 1, sizeof(said) - 1, stream)] = '\0';
	cr_expect_not_null(strstr(said, " 2 to 2\n"), "%s", said);
	cr_expect_not_null(strstr(said, " 3 to 3\n"), "%s", said);
	fclose(stream);
}
