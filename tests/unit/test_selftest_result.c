/* SPDX-License-Identifier: MIT */
/* Tests the conclusion of selfmon selftest, and its JSON. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../tools/doctor.h"
#include "../../tools/selftest.h"
#include "../../tools/selftest_print.h"
#include "../../tools/selftest_row.h"
#include "../../tools/selftest_write.h"

static struct doctor_machine doctor;
static struct doctor_report report;
static struct selftest_machine machine;
static struct selftest_case from;
static struct selftest_row row[3];
static struct selftest_result result;

static void set_up(void)
{
	static const char *const names[] = { "exact", "slope", "agree" };
	size_t i;

	memset(row, 0, sizeof(row));
	for (i = 0; i < 3; i++)
		row[i].name = names[i];
	report.machine = &doctor;
	machine = (struct selftest_machine){ .report = &report };
	from = (struct selftest_case){ .pmu = true, .user_reads = true };
	result = (struct selftest_result){ .machine = &machine, .from = &from,
					   .rows = 3, .row = row };
}

TestSuite(selftest_result, .init = set_up);

static void expect_conclusion(int status, const char *text)
{
	cr_assert_eq(selftest_conclude(&result), status);
	cr_assert_str_eq(result.verdict, text);
}

Test(selftest_result, all_that_pass)
{
	expect_conclusion(0, "counts are exact here");
}

Test(selftest_result, notes_are_in_the_last_line)
{
	machine.notes = 1;
	strcpy(machine.note[0], "the NMI watchdog holds a counter");
	expect_conclusion(0, "counts are exact here; 1 note: the NMI watchdog "
			     "holds a counter");
}

Test(selftest_result, failures_are_named)
{
	row[1].status = row[2].status = SELFTEST_FAIL;
	expect_conclusion(1, "numbers are wrong here: slope, agree failed");
}

Test(selftest_result, what_was_not_shown_is_not_claimed)
{
	row[0].status = SELFTEST_ABSENT;
	expect_conclusion(0, "no wrong count was found, but these checks for "
			     "exactness did not pass: exact");
}

Test(selftest_result, without_user_reads_none_have_to_agree)
{
	row[2].status = SELFTEST_ABSENT;
	from.user_reads = false;
	expect_conclusion(0, "counts are exact here");
}

Test(selftest_result, without_a_pmu)
{
	from.pmu = false;
	row[0].status = row[1].status = SELFTEST_ABSENT;
	strcpy(machine.why_no_pmu, "pmu: none");
	expect_conclusion(77, "hardware events cannot be counted here (pmu: "
			      "none); the other checks passed: agree");
}

Test(selftest_result, a_failure_without_a_pmu_is_a_failure)
{
	from.pmu = false;
	row[2].status = SELFTEST_FAIL;
	expect_conclusion(1, "numbers are wrong here: agree failed");
}

/* Expects that the first row, as printed, contains this text. */
static void expect_printed(const char *text)
{
	char *printed = NULL;
	size_t size;
	FILE *stream = open_memstream(&printed, &size);

	selftest_print_row(&row[0], false, stream);
	fclose(stream);
	cr_assert_not_null(strstr(printed, text), "%s", printed);
	free(printed);
}

Test(selftest_result, expected_and_seen_are_printed)
{
	selftest_differs(&row[0], 1000, 1000, 999, "minimum");
	selftest_differs(&row[0], 5, 7, 8, "bracket");
	expect_printed("fail            exact ");
	expect_printed("minimum: expected 1000, seen 999\n");
	expect_printed("bracket: expected 5 to 7, seen 8\n");
}

Test(selftest_result, a_reason_is_printed)
{
	selftest_absent(&row[0], "no second CPU");
	expect_printed("not applicable  exact      no second CPU\n");
}

static char path[] = "/tmp/selfmon-test-XXXXXX";

static int run_schema(const char *option)
{
	char command[256];
	int status;

	snprintf(command, sizeof(command), "python3 tests/tools/schema.py "
		 "--schema docs/selftest.schema.json %s %s", option, path);
	status = system(command); /* NOLINT(cert-env33-c): a test's own */
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

Test(selftest_result, json_is_what_its_schema_says)
{
	FILE *file;
	int status;

	if (access("tests/tools/schema.py", R_OK) ||
	    system("command -v python3 > /dev/null"))
		cr_skip_test("needs python3, and the source");
	selftest_differs(&row[0], 1, 2, 3, "a\xff");
	selftest_figure(&row[0], "off", "ppm", 1.5);
	selftest_figure(&row[0], "nothing", "ns", 0.0 / 0.0);
	selftest_absent(&row[1], "a \"reason\"");
	machine.notes = 1;
	strcpy(machine.note[0], "a note");
	doctor.facts.rdpmc = SELFMON_FACT_UNKNOWN;
	result.status = selftest_conclude(&result);
	file = fdopen(mkstemp(path), "w");
	selftest_write(&result, file);
	fclose(file);
	status = run_schema("--refuses");
	unlink(path);
	if (status == 77)
		cr_skip_test("needs python3-jsonschema 4");
	cr_assert_eq(status, 0);
}
