/* SPDX-License-Identifier: MIT */
/* Tests the reading of /proc/interrupts with recorded texts. */
#include <criterion/criterion.h>
#include <string.h>

#include "../../tools/selftest_interrupts.h"

static const char all_online[] =
	"           CPU0       CPU1       CPU2       CPU3\n"
	"  8:        100        200        300        400  IO-APIC   8-edge rtc\n"
	"LOC:          1          2          3          4   Local timer\n"
	"ERR:         70\n"
	"MIS:          0\n";
static const char some_online[] =
	"           CPU0       CPU2       CPU12\n"
	"  8:        100        200        300  IO-APIC   8-edge rtc\n"
	"LOC:          1          2          3   Local timer\n";

static uint64_t interrupts(const char *text, int cpu)
{
	FILE *const file = fmemopen((void *)(uintptr_t)text, strlen(text), "r");
	uint64_t sum;

	cr_assert(file);
	sum = selftest_interrupts(file, cpu);
	fclose(file);
	return sum;
}

Test(selftest_interrupts, sums_the_column_of_the_cpu)
{
	cr_expect_eq(interrupts(all_online, 0), 171);
	cr_expect_eq(interrupts(all_online, 1), 202);
}

Test(selftest_interrupts, lines_end_before_the_column)
{
	cr_expect_eq(interrupts(all_online, 2), 303);
	cr_expect_eq(interrupts(all_online, 3), 404);
}

Test(selftest_interrupts, offline_cpus_have_no_column)
{
	cr_expect_eq(interrupts(some_online, 0), 101);
	cr_expect_eq(interrupts(some_online, 1), 0);
	cr_expect_eq(interrupts(some_online, 2), 202);
	cr_expect_eq(interrupts(some_online, 12), 303);
}

Test(selftest_interrupts, an_empty_file_has_none)
{
	cr_expect_eq(interrupts("\n", 0), 0);
}
