/* SPDX-License-Identifier: MIT */
#include "check.h"

int failures;

int main()
{
	check_regions();
	check_spans();
	check_async_spans();
	check_fibers();
	check_units();
	check_throws();
	check_sets();
	check_reports();
	check_compiled_off();
	return failures != 0;
}
