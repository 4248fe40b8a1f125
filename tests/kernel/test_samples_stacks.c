/* SPDX-License-Identifier: MIT */
/* Tests the label and the call stack that each sample has. */
#define _GNU_SOURCE
#include "kernel/samples_wanted.h"

Test(samples, have_the_label_of_their_moment)
{
	struct selfmon_report *report;
	struct counts a, b;

	ask_for(OFTEN);
	cr_assert_eq(selfmon_thread_prepare(), 0);
	do {
		cr_assert_eq(selfmon_label(7), 0);
		SELFMON_REGION("a")
			work_a(100 * SHORT);
		cr_assert_eq(selfmon_label(0), 7);
		SELFMON_REGION("b")
			work_b(100 * SHORT);
	} while (samples_of("a") < 30 || samples_of("b") < 30);
	report = rows_take();
	a = counts_of(report, "a");
	b = counts_of(report, "b");
	cr_expect_eq(a.labelled, a.samples);
	cr_expect_eq(b.labelled, 0);
	selfmon_report_free(report);
}

static void visit_labelled(void)
{
	SELFMON_REGION("a") {
		selfmon_label(7);
		work_a(SHORT);
		selfmon_label(0);
		work_b(SHORT);
	}
}

Test(samples, have_the_label_of_their_moment_within_a_visit)
{
	struct selfmon_call_stack stack = { .size = sizeof(stack) };
	struct selfmon_report *report;
	size_t i;

	ask_for(ALONE);
	until(wanted(), visit_labelled);
	report = rows_take();
	for (i = 0; !selfmon_row_stack(report, 0, i, &stack); i++) {
		const struct selfmon_address *const address =
			&stack.address[0];

		if (is_between(address, __start_samples_a, __stop_samples_a))
			cr_expect_eq(stack.label, 7);
		if (is_between(address, __start_samples_b, __stop_samples_b))
			cr_expect_eq(stack.label, 0);
	}
	cr_expect_gt(i, 1);
	selfmon_report_free(report);
}

/* Has a frame of its own, so that the kernel finds the caller. */
static __attribute__((noinline)) void work_framed(void)
{
	void *volatile frame = __builtin_frame_address(0);

	for (volatile int i = 0; frame && i < SHORT; i++)
		;
}

static void visit_framed(void)
{
	SELFMON_REGION("a")
		work_framed();
}

/*
 * Returns how many stacks of row 0 have a caller. Checks that the caller's
 * address is not the sampled address.
 */
static size_t callers_of(const struct selfmon_report *report)
{
	struct selfmon_call_stack stack = { .size = sizeof(stack) };
	size_t callers = 0, i;

	for (i = 0; !selfmon_row_stack(report, 0, i, &stack); i++) {
		if (stack.depth < 2)
			continue;
		callers++;
		cr_expect(stack.address[0].address != stack.address[1].address);
	}
	cr_expect_gt(i, 0);
	return callers;
}

/*
 * The kernel's markers between addresses (PERF_CONTEXT_USER) must not be
 * reported as addresses.
 */
Test(samples, have_the_caller_after_where_the_thread_was)
{
	struct selfmon_report *report;

	ask_for(OFTEN);
	until(100, visit_framed);
	report = rows_take();
	cr_expect_gt(callers_of(report), 0);
	selfmon_report_free(report);
}

Test(samples, have_as_many_addresses_as_were_requested)
{
	struct selfmon_report *report;

	ask_for(OFTEN ",chain=1");
	until(100, visit_framed);
	report = rows_take();
	cr_expect_eq(callers_of(report), 0);
	selfmon_report_free(report);
}
