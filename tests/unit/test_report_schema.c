/* SPDX-License-Identifier: MIT */
/*
 * Tests that reports of each kind conform to docs/report.schema.json, and that
 * wrong reports do not.
 */
#include <math.h>
#include <unistd.h>

#include "form.h"
#include "report/errata.h"
#include "schema.h"
#include "unit/test_report_model.h"

TestSuite(report_schema, .fini = model_free);

#define VERDICTS (SELFMON_SCALED + 1)

static char path[] = "/tmp/selfmon-test-XXXXXX";

static struct selfmon_row_bucket bucket[] = { { 0.5, 1 }, { 1e9, 41 } };
static struct selfmon_row_detail detail[VERDICTS + 1] = {
	[0] = { .buckets = 2, .bucket = bucket,
		.enabled_ns[SELFMON_SCALED] = 9, .off_ns[SELFMON_SCALED] = 3 },
};

/*
 * Makes a report with each verdict of a column and of a value, and with a row
 * that was not measured.
 */
static struct selfmon_report *all_verdicts(void)
{
	static const char *const name[VERDICTS] = { "cycles", "instructions",
						    "page-faults", "r1a8" };
	static struct selfmon_erratum erratum = {
		.name = "E1", .events = "r1a8", .text = "too many",
		.source = "guide"
	};
	struct selfmon_report *report = model_make(VERDICTS + 1);
	struct selfmon_row *row;
	int i, k;

	for (i = 0; i < VERDICTS; i++)
		model_column(report, name[i], (enum selfmon_verdict)i);
	for (i = 0; i <= VERDICTS; i++) {
		row = model_row(report, i - 1, "r", 42, 1e9, 1e9);
		row->exclusive_valid = i != 1;
		row->unsure = (1u << 7) - 1;
		row->bytes = 4711;
		for (k = 0; k < VERDICTS; k++)
			model_counter(row, (size_t)k, (enum selfmon_verdict)k,
				      1e6);
	}
	model_value(&row->time, SELFMON_NOT_COUNTED, 0, 0, 0);
	row->measured = row->visits = 0;
	strcpy(report->column[0].reason, "no such event");
	strcpy(report->note[report->notes++], "a note");
	report->erratum[report->errata++] = &erratum;
	report->detail = detail;
	return report;
}

static struct selfmon_report *merged(void)
{
	struct selfmon_report *report = all_verdicts();
	size_t i;

	report->process = calloc(2, sizeof(*report->process));
	report->processes = 2;
	report->calibrated = false;
	report->clock_hz = 0;
	report->elapsed_ns = (double)NAN;
	report->column[1].without = 1;
	for (i = 0; i < 2; i++)
		strcpy(report->process[i].program, i ? "b" : "\xff");
	return report;
}

static struct selfmon_report *odd(void)
{
	struct selfmon_report *report = all_verdicts();

	strcpy(report->since, "2024-05-06T07:07:09Z");
	report->row[0].time.net = (double)NAN;
	report->row[0].time.noise = (double)INFINITY;
	report->row[0].time.sum = UINT64_MAX;
	report->row[0].time.exclusive = INT64_MIN;
	report->calibrated = false;
	report->choice = SELFMON_CHOICE_NONE;
	return report;
}

/*
 * Makes a report by thread. Its first row is that of the thread with this id;
 * if tid is 0, the row stands for 40 threads.
 */
static struct selfmon_report *by_thread(uint32_t tid)
{
	struct selfmon_report *report = all_verdicts();
	static struct selfmon_row_detail threads[VERDICTS + 1];

	memcpy(threads, detail, sizeof(threads));
	threads[0].thread.threads = tid ? 1 : 40;
	threads[0].thread.tid = tid;
	report->detail = threads;
	return report;
}

static void write_to(FILE *stream, struct selfmon_report *report)
{
	cr_assert_eq(selfmon_report_write(report, SELFMON_JSON, stream), 0);
	report->detail = NULL; /* the report must not free it */
}

/* Validates the reports. Skips the test if there is no validator. */
static void run_schema(const char *option)
{
	const enum schema_answer answer = schema_check(option, path);

	if (answer == SCHEMA_NO_VALIDATOR) {
		unlink(path);
		cr_skip_test("no python3-jsonschema here");
	}
	cr_assert_eq(answer, SCHEMA_ALLOWS);
}

Test(report_schema, allows_reports_of_each_kind_and_nothing_else)
{
	FILE *const stream = fdopen(mkstemp(path), "w");

	cr_assert_not_null(stream);
	write_to(stream, all_verdicts());
	write_to(stream, merged());
	write_to(stream, odd());
	write_to(stream, by_thread(4242));
	write_to(stream, by_thread(0));
	write_to(stream, model_time());
	write_to(stream, model_counters());
	if (quick_or_all(0, 1)) /* 276 rows, which take the validator a second */
		write_to(stream, model_hostile());
	write_to(stream, model_make(0));
	cr_assert_eq(fclose(stream), 0);
	run_schema("--refuses");
	unlink(path);
}
