/* SPDX-License-Identifier: MIT */
/*
 * Tests CSV: every name can be recovered, and a field without a count is empty.
 */
#include <math.h>
#include <time.h>

#include "unit/test_report_model.h"
#include "unit/test_report_python.h"

TestSuite(report_csv, .fini = model_free);

#define HAS(text, part) cr_assert_not_null(strstr(text, part), "%s", text)

/*
 * Returns the number of fields in the record at *at, and moves *at to the next
 * record.
 */
static size_t fields_of(const char **at)
{
	const char *s = *at;
	size_t fields = 1;
	bool quoted = false;

	for (; quoted || strncmp(s, "\r\n", 2); s++) {
		cr_assert(*s, "the last record has no end");
		if (*s == '"')
			quoted = !quoted;
		else if (*s == ',' && !quoted)
			fields++;
	}
	*at = s + 2;
	return fields;
}

static char *csv_of(const struct selfmon_report *report)
{
	char *text = model_written(report, SELFMON_CSV);
	const char *at = text;
	const size_t fields = fields_of(&at);
	size_t rows = 0;

	for (; *at; rows++)
		cr_assert_eq(fields_of(&at), fields, "record %zu", rows);
	cr_assert_eq(rows, report->rows);
	return text;
}

Test(report_csv, has_a_line_a_region_with_its_path)
{
	const char *text = csv_of(model_counters());

	HAS(text, "path,name,depth,parent,file,line,");
	HAS(text, "\r\n\"main/split\",\"split\",1,0,\"src/textstats.c\",20,");
	HAS(text, ",\"cache-misses.net_exclusive\",");
}

Test(report_csv, escapes_slashes_of_names_in_the_path_alone)
{
	HAS(csv_of(model_hostile()),
	    "a\\/b\\\\\\/c\",\"a/b\\\\/c\"");
}

Test(report_csv, leaves_empty_what_was_not_counted)
{
	struct selfmon_report *report = model_make(1);
	struct selfmon_row *row = model_row(report, -1, "a", 2, 100, 100);

	model_column(report, "cycles", SELFMON_NOT_COUNTED);
	row->time.verdict = SELFMON_NOT_COUNTED;
	row->time.visits = 0;
	HAS(csv_of(report),
	    ",1,2,0,0,not counted,0,,,,,,,,,,,,,not counted,0,,,,,,,,,");
}

Test(report_csv, leaves_empty_what_is_no_number)
{
	struct selfmon_report *report = model_make(1);
	struct selfmon_row *row = model_row(report, -1, "a", 2, 100, 100);

	row->time.net = (double)NAN;
	row->exclusive_valid = false;
	HAS(csv_of(report), ",0,exact,2,103,25,150,,,,1,1,50,");
}

Test(report_csv, numbers_an_event_that_was_asked_for_twice)
{
	struct selfmon_report *report = model_make(0);

	model_column(report, "cycles", SELFMON_EXACT);
	model_column(report, "cycles", SELFMON_EXACT);
	HAS(csv_of(report), "\"cycles#2.sum\"");
}

Test(report_csv, python_reads_every_name_back)
{
	const struct selfmon_report *report = model_hostile();
	char *said = python_reads(
		csv_of(report),
		"import csv, io, re\n"
		"def byte(m):\n"
		"  return bytes([int(m[1], 16)]) if m[1] else m[2]\n"
		"text = io.StringIO(data.decode(), newline=\"\")\n"
		"for row in csv.DictReader(text, strict=True):\n"
		"  name = row[\"name\"].encode()\n"
		"  if name[:1] == bytes([39]):\n"
		"    name = name[1:]\n"
		"  print(re.sub(rb\"\\\\x(..)|\\\\(.)\", byte, name, "
		"flags=re.S).hex())");

	cr_assert_str_eq(said, python_names(report));
}

Test(report_csv, holds_200_levels_and_10000_rows)
{
	struct selfmon_report *report = model_make(10000);
	int i;

	for (i = 0; i < 10000; i++)
		model_row(report, i < 200 ? i - 1 : 0, "r", 1, 100, 100);
	csv_of(report);
}

static int64_t cpu_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

/*
 * Writes a report with this number of rows several times. Returns the least CPU
 * time per row.
 */
static int64_t cost_of_a_row(size_t rows)
{
	struct selfmon_report *report = model_make(rows);
	int64_t least = INT64_MAX;
	size_t i;

	for (i = 0; i < rows; i++)
		model_row(report, -1, "r", 1, 100, 100);
	report->units = 2;
	strcpy(report->unit[0], "bytes");
	strcpy(report->unit[1], "items");
	for (i = 0; i < 5; i++) {
		const int64_t start = cpu_ns();

		model_written(report, SELFMON_CSV);
		if (cpu_ns() - start < least)
			least = cpu_ns() - start;
	}
	return least / (int64_t)rows;
}

Test(report_csv, a_row_costs_no_more_in_a_long_report)
{
	const int64_t in_short = cost_of_a_row(1000);
	const int64_t in_long = cost_of_a_row(10000);

	cr_assert_lt(in_long, 4 * in_short, "%ld ns a row, %ld in a short one",
		     (long)in_long, (long)in_short);
}
