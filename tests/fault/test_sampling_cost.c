/* SPDX-License-Identifier: MIT */
/*
 * Tests the period of samples, which is derived from the measured cost of a
 * sample. The thread loses the CPU while the cost is measured.
 */
#include <criterion/criterion.h>

#include <selfmon.h>

#include "fault/kernel_faults.h"
#include "store/process.h"

#define ASKED_NS 200000

/* Measures the cost of a sample while the thread loses the CPU for 20 ms. */
static void check_with_a_pause_after(uint64_t ns)
{
	struct selfmon_options options = SELFMON_OPTIONS_INIT;
	const struct selfmon_sampling *sampling;
	uint64_t cost_ns;

	options.events = "none";
	options.output = NULL;
	options.sample = "task-clock@200us";
	(void)selfmon_clock(); /* calibrated before the pause */
	kernel_faults.pause_after_ns = ns;
	cr_assert_eq(selfmon_configure(&options), 0);
	cr_assert_eq(selfmon_thread_prepare(), 0);
	sampling = &selfmon_process()->sampling;
	if (!sampling->on)
		cr_skip_test("this machine does not sample CPU time");
	cr_assert_eq(kernel_faults.pause_after_ns, 0, "no pause was made");
	cost_ns = selfmon_clock_ns(selfmon_clock(), sampling->cost_ticks);
	cr_log_info("a sample takes %lu ns, one each %lu ns",
		    (unsigned long)cost_ns, (unsigned long)sampling->period);
	cr_expect_gt(cost_ns, 0);
	/* Samples may take a twentieth of the time. */
	cr_expect_leq(sampling->period, ASKED_NS + 30 * cost_ns);
	cr_expect_geq(sampling->period, 15 * cost_ns);
}

Test(sampling_cost, is_right_if_the_thread_loses_the_cpu)
{
	check_with_a_pause_after(1500000);
}

/*
 * The cost is measured in windows of 2 ms. The pause is longer than the first
 * window, so no sample arrives in it.
 */
Test(sampling_cost, is_measured_if_the_thread_loses_the_cpu_at_once)
{
	check_with_a_pause_after(1);
}
