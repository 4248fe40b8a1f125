/* SPDX-License-Identifier: MIT */
/* Tests the installation of the guard while each kernel call of it fails. */
#include <criterion/criterion.h>
#include <errno.h>
#include <limits.h>

#include "counters/guard.h"
#include "counters/set.h"
#include "fault/kernel_faults.h"
#include "platform/fault.h"
#include "platform/fault_step.h"

static int install_with_failing(unsigned int n)
{
	int error;

	kernel_faults.any.calls = 0;
	kernel_faults.any.from = n;
	kernel_faults.any.to = n;
	error = selfmon_guard_install();
	kernel_faults.any.to = 0;
	return error;
}

/*
 * "Replaced" would mean that the program installed another handler. Here the
 * kernel refused the guard's handler.
 */
Test(guard_install, that_failed_is_not_reported_as_replaced)
{
	unsigned int n;
	int error;

	if (!SELFMON_FAULT_SIGNAL)
		cr_skip_test("this machine needs no guard");
	kernel_faults_clear();
	kernel_faults.any.alike = UINT_MAX;
	kernel_faults.any.error = EPERM;
	for (n = 1; (error = install_with_failing(n)) != 0; n++) {
		cr_assert(error == -EPERM || error == -ENOMEM, "call %u: %d",
			  n, error);
		cr_assert_eq(selfmon_guard_check(), -ENOENT, "call %u (%s)", n,
			     kernel_faults.any.name);
		cr_assert_eq(selfmon_guard_install(), 0, "and then, call %u",
			     n);
		cr_assert_eq(selfmon_guard_check(), 0);
		selfmon_fault_release();
	}
	cr_assert_geq(n, 3, "%u calls were made, two of sigaction(2) at least",
		      n - 1);
	cr_assert_eq(selfmon_guard_check(), 0);
	selfmon_fault_release();
}
