/* SPDX-License-Identifier: MIT */
/* Tests the table of samples, and the columns for samples in CSV. */
#include "report/samples.h"
#include "unit/test_report_model.h"

TestSuite(report_text_samples, .fini = model_free);

#define HAS(text, part) cr_assert_not_null(strstr(text, part), "%s", text)
#define LACKS(text, part) cr_assert_null(strstr(text, part), "%s", text)

/*
 * outer has a self time of 1 ms, inner 99 ms. With one sample per ms, 1 and 99
 * samples are expected. The arguments are the numbers of samples that were
 * taken.
 */
static struct selfmon_report *sampled(uint64_t outer, uint64_t inner)
{
	struct selfmon_report *const report = model_make(2);
	struct selfmon_row *row;

	row = model_row(report, -1, "outer", 1, 1e8, 1e6);
	row->samples = outer;
	row->samples_within = outer + inner;
	row = model_row(report, 0, "inner", 1, 9.9e7, 9.9e7);
	row->samples = row->samples_within = inner;
	report->samples = calloc(1, sizeof(*report->samples));
	*report->samples = (struct selfmon_samples){ .event = "task-clock",
						     .period = 1000000,
						     .cost_ns = 14000,
						     .taken = outer + inner };
	return report;
}

static const char *text_of(const struct selfmon_report *report,
			   enum selfmon_format format)
{
	static char text[8192];
	FILE *const stream = fmemopen(text, sizeof(text), "w");

	cr_assert_eq(selfmon_report_write(report, format, stream), 0);
	fclose(stream);
	return text;
}

Test(report_text_samples, show_the_part_of_its_time_that_a_region_was_seen)
{
	const char *const text = text_of(sampled(1, 50), SELFMON_TEXT);

	HAS(text, "Samples of task-clock: 51, one per 1.00 ms of CPU time; "
		  "each took 14.0 us, subtracted\n");
	HAS(text, "outer                 1       2.0%         51       100%"
		  "       100%\n");
	HAS(text, "  inner              50      98.0%         50      98.0%"
		  "      50.5%\n");
	LACKS(text, "in step");
	LACKS(text, "ring");
}

/* There are three tables: times, times off the CPU, and samples. */
Test(report_text_samples, share_a_page_with_the_other_tables)
{
	static char name[40][16];
	struct selfmon_report *const report = model_make(40);
	const char *line;
	size_t rows = 0, i;

	for (i = 0; i < 40; i++) {
		snprintf(name[i], sizeof(name[i]), "region %zu", i);
		model_row(report, -1, name[i], 1, 1e6, 1e6)->samples_within = 1;
	}
	report->off_cpu = true;
	report->samples = calloc(1, sizeof(*report->samples));
	report->samples->period = 1000000;
	line = text_of(report, SELFMON_TEXT);
	while ((line = strstr(line, "\nregion "))) {
		line++;
		rows += line[7] != ' ';
	}
	cr_assert_leq(rows, 60);
	cr_assert_gt(rows, 50);
}

Test(report_text_samples, of_more_than_the_time_allows_are_marked)
{
	const char *const text = text_of(sampled(20, 80), SELFMON_TEXT);

	HAS(text, ">999% !\n");
	HAS(text, "  ! more samples than the time allows: the period is in "
		  "step");
}

Test(report_text_samples, that_are_missing_are_said_with_what_helps)
{
	struct selfmon_report *const report = sampled(1, 90);
	const char *text;

	report->samples->outside = 3;
	report->samples->lost = 7;
	report->samples->lost_more = 2;
	report->samples->unstored = 5;
	report->samples->asked = 200000;
	text = text_of(report, SELFMON_TEXT);
	HAS(text, "3 samples were outside of all regions.\n");
	HAS(text, "7 samples have no call stack: a ring was full.");
	HAS(text, "2 threads lost an unknown number of further samples");
	HAS(text, "ring=1024k");
	HAS(text, "5 samples have no call stack: 4 MiB");
	HAS(text, "(limited: samples would take over a twentieth of the time)");
}

Test(report_text_samples, are_columns_of_a_csv_if_there_are_any)
{
	struct selfmon_report *const report = sampled(1, 90);
	const char *text = text_of(report, SELFMON_CSV);

	HAS(text, ",samples,samples_within");
	HAS(text, ",90,90");
	free(report->samples);
	report->samples = NULL;
	text = text_of(report, SELFMON_CSV);
	LACKS(text, "samples");
}

Test(report_text_samples, none_is_no_table)
{
	struct selfmon_report *const report = sampled(0, 0);

	free(report->samples);
	report->samples = NULL;
	LACKS(text_of(report, SELFMON_TEXT), "amples");
}
