/* SPDX-License-Identifier: MIT */
/* Tests the clock of a machine that does not state its rate. */
#include <criterion/criterion.h>
#include <errno.h>

#include "clock/clock.h"
#include "fault/kernel_faults.h"

Test(clock_stated, a_rate_that_is_not_stated_is_looked_for_once)
{
	struct selfmon_clock clock;
	int i;

	kernel_faults_clear();
	kernel_faults_from(FAULT_OPEN, 1, EACCES);
	if (selfmon_clock_without_wait(&clock))
		cr_skip_test("this machine states the rate without an event");
	for (i = 0; i < 3; i++)
		cr_assert_not(selfmon_clock_without_wait(&clock));
	cr_assert_eq(kernel_faults.call[FAULT_OPEN].calls, 1);
	cr_assert_neq(selfmon_clock()->source, SELFMON_CLOCK_NONE);
	cr_assert(selfmon_clock_without_wait(&clock));
}
