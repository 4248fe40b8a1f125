/* SPDX-License-Identifier: MIT */
/* Tests further runs of a benchmark whose process cannot be created. */
#include <criterion/criterion.h>
#include <errno.h>
#include <unistd.h>

static pid_t refused_fork(void)
{
	errno = EAGAIN;
	return -1;
}

#define fork refused_fork
#include <selfmon_bench.h>

Test(bench_process, reports_why_no_process_was_created)
{
	struct selfmon_bench_result result;

	cr_expect_eq(selfmon_impl_bench_again(&result, sizeof(result)),
		     -EAGAIN);
}
