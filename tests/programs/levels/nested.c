/* SPDX-License-Identifier: MIT */
/*
 * Regions nested in main(), at every level of optimisation. Compilers inline
 * less into code that runs only once. The library distinguishes live visits
 * from abandoned ones by the stack address of its caller. This address must be
 * the same for all calls from a function.
 */
#include <selfmon.h>
#include <setjmp.h>
#include <stdio.h>

static jmp_buf env;
static volatile int sink;

static const char *const path[] = { "main", "loop", "inner" };

/*
 * Returns true if there is a row at this depth of the path, with all visits and
 * none cut off. Searches by name, since rows are ordered by time.
 */
static int is(const struct selfmon_report *report, size_t depth,
	      uint64_t visits)
{
	const struct selfmon_row *row =
		selfmon_report_find(report, path, depth + 1);

	return row && row->visits == visits && row->cut_off == 0;
}

int main(void)
{
	struct selfmon_report *report;
	int right;

	SELFMON_REGION("main") {
		for (int i = 0; i < 20000; i++)
			SELFMON_REGION("loop") {
				for (int k = 0; k < 50; k++)
					sink += k;
				SELFMON_REGION("inner") {
				}
			}
	}
	if (!setjmp(env))
		SELFMON_REGION("jump")
			longjmp(env, 1);
	if (selfmon_report_take(&report))
		return 1;
	right = is(report, 0, 1) && is(report, 1, 20000) &&
		is(report, 2, 20000);
	if (!right)
		selfmon_report_write(report, SELFMON_TEXT, stdout);
	selfmon_report_free(report);
	return !right;
}
