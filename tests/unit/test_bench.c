/* SPDX-License-Identifier: MIT */
/* selfmon_bench.h: its statistics, its JSON and its gate, without measuring. */
#include <criterion/criterion.h>
#include <math.h>

#include <selfmon_bench.h>

/* A result with the time and instructions of each round. */
static void fill(struct selfmon_bench_result *result, const char *name,
		 double ns, double instructions)
{
	unsigned int i, q;

	memset(result, 0, sizeof(*result));
	result->name = name;
	result->turns = 64;
	result->quantities = 2;
	result->quantity[0].name = "ns";
	result->quantity[1].name = "instructions";
	for (q = 0; q < 2; q++) {
		struct selfmon_bench_quantity *const of = &result->quantity[q];

		of->verdict = SELFMON_EXACT;
		of->count = 9;
		for (i = 0; i < of->count; i++)
			of->sample[i] = (q ? instructions : ns) + i % 3;
		selfmon_bench_summarise(of);
	}
}

static FILE *written(const struct selfmon_bench_result *results, size_t count)
{
	FILE *const stream = tmpfile();

	cr_assert_not_null(stream);
	cr_assert_eq(selfmon_bench_json(results, count, stream), 0);
	return stream;
}

static int gate(const struct selfmon_bench_result *before,
		const struct selfmon_bench_result *now)
{
	FILE *const baseline = written(before, 1);
	FILE *const log = tmpfile();
	const int ret = selfmon_bench_gate(now, 1, baseline, "instructions", 1,
					   log);

	fclose(baseline);
	fclose(log);
	return ret;
}

Test(bench, the_median_is_told_with_an_interval_around_it)
{
	struct selfmon_bench_quantity of = { .count = 5 };
	struct selfmon_bench_quantity again;

	memcpy(of.sample, (double[]){ 5, 1, 4, 900, 3 }, 5 * sizeof(double));
	again = of;
	selfmon_bench_summarise(&of);
	cr_expect_eq(of.median, 4);
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
		a.sample[i] = 10 << i; /* a machine that gets slower */
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

Test(bench, the_gate_fails_on_more_instructions)
{
	struct selfmon_bench_result before, now;

	fill(&before, "copy", 50, 1000);
	fill(&now, "copy", 50, 1020);
	cr_expect_eq(gate(&before, &now), 1);
	fill(&now, "copy", 50, 1005);
	cr_expect_eq(gate(&before, &now), 0);
	fill(&now, "copy", 50, 500);
	cr_expect_eq(gate(&before, &now), 0);
}

Test(bench, the_gate_ignores_time)
{
	struct selfmon_bench_result before, now;

	fill(&before, "copy", 50, 1000);
	fill(&now, "copy", 5000, 1000);
	cr_expect_eq(gate(&before, &now), 0);
}

Test(bench, the_gate_does_not_pass_what_it_cannot_judge)
{
	struct selfmon_bench_result before, now;

	fill(&before, "copy", 50, 1000);
	fill(&now, "copy", 50, 1000);
	now.quantity[1].count = 0;
	now.quantity[1].verdict = SELFMON_NOT_COUNTED;
	cr_expect_eq(gate(&before, &now), -ENODATA);
	fill(&now, "move", 50, 1000);
	cr_expect_eq(gate(&before, &now), -ENODATA);
}

Test(bench, a_baseline_is_found_by_any_name)
{
	struct selfmon_bench_result results[3];
	double median = 0;
	FILE *stream;

	fill(&results[0], "copy/8", 50, 1000);
	fill(&results[1], "copy", 50, 2000);
	fill(&results[2], "a \"quoted\\\" one\n", 50, 3000);
	stream = written(results, 3);
	cr_expect_eq(selfmon_bench_baseline(stream, "copy", "instructions",
					    &median), 0);
	cr_expect_eq(median, 2001);
	cr_expect_eq(selfmon_bench_baseline(stream, results[2].name,
					    "instructions", &median), 0);
	cr_expect_eq(median, 3001);
	cr_expect_eq(selfmon_bench_baseline(stream, "copy", "cycles", &median),
		     -ENODATA);
	fclose(stream);
}
