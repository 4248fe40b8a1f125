/* SPDX-License-Identifier: MIT */
/*
 * Tests samples at counter overflows: each belongs to the right region, and
 * their number matches the count of events.
 */
#define _GNU_SOURCE
#include "form.h"
#include "hw/hw.h"
#include "kernel/sampled.h"
#include "hw/tool.h"

/* Number of events between two samples. */
#define PERIOD 100003

TestSuite(hw_samples, .init = hw_require_pmu);

static uint64_t wanted(void)
{
	return (uint64_t)by_form(1000, 3000, 100000);
}

static bool is_arm64(void)
{
	return strcmp(SELFMON_ARCH_NAME, "arm64") == 0;
}

/*
 * Skips the test if overflows of the event do not interrupt. In the emulated
 * machines all events of x86-64 do, on arm64 only those of the cycle counter,
 * and on riscv64 none.
 */
static void require_overflows(const char *event)
{
	SELFMON_REGION("probe")
		hw_loop(20 * PERIOD);
	if (samples_of("probe") >= 10)
		return;
	cr_assert(strcmp(SELFMON_ARCH_NAME, "x86-64") != 0,
		  "few samples of %s in 20 periods", event);
	cr_assert(!is_arm64() || strcmp(event, "cycles") != 0,
		  "few samples of %s in 20 periods", event);
	cr_skip_test("overflows of %s do not interrupt here", event);
}

/*
 * Returns the event that is counted in addition to samples of this event. The
 * emulated arm64 machine has one cycle counter, which samples need. There each
 * instruction takes one cycle, so instructions are counted.
 */
static const char *counted_beside(const char *event)
{
	return hw_exact() && is_arm64() ? "instructions" : event;
}

/* Skips the test if the kernel refuses samples of the event. */
static void ask_for_samples_of(const char *event)
{
	struct selfmon_report *report;
	bool refused;
	char sample[64];

	tool_sample_fast();
	snprintf(sample, sizeof(sample), "%s@%d", event, PERIOD);
	ask_with(counted_beside(event), sample);
	cr_assert_eq(selfmon_thread_prepare(), 0);
	report = rows_take();
	refused = rows_say(report, SELFMON_JSON, "\"samples\": null");
	selfmon_report_free(report);
	if (refused)
		cr_skip_test("%s cannot be sampled here", event);
	require_overflows(event);
}

/* Returns the exact count of the event in rows a and b together. */
static double counted(const struct selfmon_report *report)
{
	double sum = 0;
	size_t i;

	for (i = 0; i < selfmon_report_row_count(report); i++) {
		const struct selfmon_row *const row =
			selfmon_report_row(report, i);

		if (strcmp(row->name, "probe") == 0)
			continue;
		cr_expect_eq(row->counter[0].verdict, SELFMON_EXACT);
		sum += (double)row->counter[0].exclusive;
	}
	return sum;
}

/*
 * On an exact machine, the number of samples times the period must be within
 * 2 % of the number of events. This holds for the sum of both rows. For each
 * row it holds only if the period is not in step with the program.
 */
static void expect_as_many_as_counted(void)
{
	struct selfmon_report *const report = rows_take();
	const double sampled =
		(double)(sum_of(report, "a") + sum_of(report, "b")) *
		number_of(report, "\"period\": ");
	const double events = counted(report);

	cr_log_info("%.0f events were counted, %.0f are in samples (%+.2f %%)",
		    events, sampled, 100 * (sampled / events - 1));
	if (hw_exact())
		cr_expect(sampled > events * 0.98 && sampled < events * 1.02);
	selfmon_report_free(report);
}

/*
 * Makes visits of different lengths. They are long, so that enter and leave are
 * negligible.
 */
static void visit_varied(void)
{
	static uint32_t random;
	int n;

	random = random * 1103515245 + 12345;
	n = SHORT + (int)(random >> 17);
	SELFMON_REGION("a") {
		work_a(n);
		SELFMON_REGION("b")
			work_b(n);
		work_a(SHORT);
	}
}

static void visit_until_sampled(void (*visit)(void))
{
	int i;

	do {
		for (i = 0; i < 100; i++)
			visit();
	} while (samples_of("a") + samples_of("b") < wanted());
}

static void sample(const char *event)
{
	ask_for_samples_of(event);
	visit_until_sampled(visit_varied);
	say_how_many(event);
	assert_apart(wanted() * 4 / 5);
	expect_as_many_as_counted();
}

Test(hw_samples, of_cycles_are_of_the_region_that_the_thread_was_in,
     .timeout = 600)
{
	sample("cycles");
}

Test(hw_samples, of_instructions_are_of_the_region_that_the_thread_was_in,
     .timeout = 600)
{
	sample("instructions");
}

static void visit_moved(void)
{
	static int cpu;

	visit_both();
	visit_short();
	SELFMON_REGION("a") {
		work_a(SHORT);
		hw_pin(cpu);
		work_a(SHORT);
		SELFMON_REGION("b") {
			work_b(SHORT);
			hw_pin(!cpu);
			work_b(SHORT);
		}
	}
	cpu = !cpu;
}

Test(hw_samples, of_a_thread_that_changes_cpus_are_of_its_region,
     .timeout = 600)
{
	hw_require_cpus(2);
	ask_for_samples_of("cycles");
	visit_until_sampled(visit_moved);
	say_how_many("cycles");
	assert_apart(wanted() * 4 / 5);
}
