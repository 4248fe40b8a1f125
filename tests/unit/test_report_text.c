/* SPDX-License-Identifier: MIT */
/*
 * Tests that the text report agrees with the data, and that no line has more
 * than 120 columns.
 */
#include <math.h>

#include "platform/escape.h"
#include "unit/test_report_model.h"

TestSuite(report_text, .fini = model_free);

/*
 * Returns the width of the text in columns. Counts code points, and wide ones
 * twice, independently of the library.
 */
static size_t columns_of(const char *line, size_t length)
{
	size_t columns = 0, i;

	for (i = 0; i < length; i++) {
		const unsigned char c = (unsigned char)line[i];

		columns += (c & 0xc0) != 0x80;
		columns += (c >= 0xe3 && c < 0xee) || c == 0xf0;
	}
	return columns;
}

static size_t lines_of(const char *text)
{
	size_t lines = 0;

	for (; *text; text++)
		lines += *text == '\n';
	return lines;
}

static void check_lines(const char *text)
{
	cr_assert(selfmon_utf8_valid(text));
	while (*text) {
		const size_t length = strcspn(text, "\n");

		cr_assert_leq(columns_of(text, length), 120, "%.*s",
			      (int)length, text);
		cr_assert(length == 0 || text[length - 1] != ' ',
			  "ends in a space: %.*s", (int)length, text);
		text += length + (text[length] == '\n');
	}
}

static const char *line_of(const char *text, const char *start)
{
	static char line[1024];
	const size_t length = strlen(start);

	while (*text) {
		const size_t end = strcspn(text, "\n");

		if (!strncmp(text, start, length)) {
			snprintf(line, sizeof(line), "%.*s", (int)end, text);
			return line;
		}
		text += end + (text[end] == '\n');
	}
	cr_assert_fail("no line begins with '%s'", start);
	return "";
}

static char *text_of(const struct selfmon_report *report)
{
	char *text = model_written(report, SELFMON_TEXT);

	check_lines(text);
	return text;
}

static char *all_of(const struct selfmon_report *report)
{
	char *text = model_viewed(report, SELFMON_TEXT, "top=0");

	check_lines(text);
	return text;
}

#define HAS(text, part) cr_assert_not_null(strstr(text, part), "%s", text)
#define LACKS(text, part) cr_assert_null(strstr(text, part), "%s", text)

Test(report_text, shows_times_and_counters_of_a_tree)
{
	const char *text = text_of(model_counters());

	HAS(text, "events       auto: cycles, instructions");
	HAS(text, "(9 ns");
	HAS(text, "user mode only");
	HAS(line_of(text, "  split         50331"),
	    "612.0 ms  50.6% 612.0 ms  12.2 us");
	HAS(line_of(text, "  count words 1.410 G"), "1.72");
	HAS(line_of(text, "region         cycles"), "MPKI");
}

Test(report_text, says_why_there_is_time_alone)
{
	const char *text = text_of(model_time());

	HAS(text, "under KVM");
	HAS(text, "events       auto: time only\n");
	HAS(text, "not counted  cycles: this machine shows no PMU");
	LACKS(text, "IPC");
}

Test(report_text, says_why_system_calls_read_the_events)
{
	struct selfmon_report *report = model_counters();

	LACKS(text_of(report), "cannot");
	strcpy(report->read_reason, "user space cannot");
	HAS(text_of(report), "user mode only\n             user space cannot\n");
}

Test(report_text, says_in_which_part_of_visits_an_event_was_counted)
{
	struct selfmon_report *report = model_counters();
	struct selfmon_quantity *value = &report->row[0].counter[0];

	LACKS(text_of(report), "counted in");
	report->row[0].visits = report->row[0].measured = 1000;
	value->verdict = SELFMON_EXACT;
	value->visits = 512;
	value->share_on_pmu = 0.5;
	HAS(text_of(report), "  ! some visits have no value here: totals and "
			     "ratios cover the others\n    ");
	HAS(text_of(report), ": counted in 51.2%");
	HAS(text_of(report), " of visits, on a counter for 50.0%");
}

Test(report_text, counts_ends_that_were_read_again)
{
	struct selfmon_report *report = model_counters();

	report->row[0].retried = 6;
	HAS(text_of(report), "6 ends with a repeated counter read (each adds "
			     "50 to 170 instructions)");
}

Test(report_text, names_each_option_that_is_not_at_its_default)
{
	struct selfmon_report *report = model_time();

	LACKS(text_of(report), "\noptions ");
	report->every = 10;
	HAS(text_of(report), "\noptions      one visit in 10 is measured and "
			     "stands for all\n");
	report->every = 1;
	report->fence = report->strict = true;
	HAS(text_of(report), "\noptions      a fence before each read; strict: "
			     "all events or none, nothing scaled\n");
	report->fence = report->strict = false;
	report->guard = true;
	HAS(text_of(report), "\noptions      guarded counter reads\n");
}

Test(report_text, says_what_the_guard_did_and_that_it_is_gone)
{
	struct selfmon_report *report = model_time();

	report->taken = 3;
	HAS(text_of(report), "\ncaution      3 counter sets switched to system "
			     "calls: user reads were switched off\n");
	report->guard_gone = true;
	HAS(text_of(report), "\ncaution      counter reads are no longer "
			     "guarded: ");
}

Test(report_text, has_no_empty_tables)
{
	struct selfmon_report *report = model_make(0);

	HAS(text_of(report), "No region was visited");
}

Test(report_text, divides_misses_by_tries_where_they_are_counted)
{
	struct selfmon_report *report = model_make(1);
	struct selfmon_row *row;
	const char *text;

	model_column(report, "branches:u", SELFMON_EXACT);
	model_column(report, "branch-misses:u", SELFMON_EXACT);
	model_column(report, "cache-misses:u", SELFMON_EXACT);
	model_column(report, "cache-references", SELFMON_EXACT);
	row = model_row(report, -1, "work", 1, 1000, 1000);
	model_counter(row, 0, SELFMON_EXACT, 2000);
	model_counter(row, 1, SELFMON_EXACT, 250);
	model_counter(row, 2, SELFMON_EXACT, 100);
	model_counter(row, 3, SELFMON_EXACT, 1000);
	text = text_of(report);
	HAS(text, "miss%");
	HAS(text, "12.5 ");
	LACKS(text, "10.0"); /* the modifiers differ, so there is no quotient */
}

Test(report_text, prints_a_dash_for_a_division_by_nothing)
{
	struct selfmon_report *report = model_make(1);
	struct selfmon_row *row;

	model_column(report, "cycles", SELFMON_EXACT);
	model_column(report, "instructions", SELFMON_EXACT);
	row = model_row(report, -1, "work", 1, 1000, 1000);
	row->counter[0].verdict = SELFMON_EXACT;
	row->counter[0].visits = 1;
	model_counter(row, 1, SELFMON_EXACT, 4000);
	LACKS(text_of(report), "inf");
	LACKS(text_of(report), "nan");
}

Test(report_text, names_once_what_keeps_all_counters_off)
{
	struct selfmon_report *report = model_time();
	const char *text;

	strcpy(report->counters_off, "no PMU; enable the vPMU");
	text = text_of(report);
	HAS(text, "events       auto: time only\n"
		  "counters off no PMU; enable the vPMU\n");
	LACKS(text, "not counted");
	report->choice = SELFMON_CHOICE_LIST;
	report->events_reason[0] = '\0';
	model_column(report, "cycles", SELFMON_NOT_COUNTED);
	model_column(report, "LLC-loads", SELFMON_NOT_COUNTED);
	strcpy(report->column[0].reason, report->counters_off);
	strcpy(report->column[1].reason, "LLC-loads: this PMU has none");
	text = text_of(report);
	HAS(text, "counters off no PMU; enable the vPMU\n"
		  "not counted  cycles\n"
		  "             LLC-loads: this PMU has none\n");
}

Test(report_text, merged_reports_keep_reasons_beside_what_keeps_counters_off)
{
	static struct selfmon_report_process process[2];
	struct selfmon_report *report = model_time();
	const char *text;

	strcpy(report->counters_off, "no PMU; enable the vPMU");
	report->process = process;
	report->processes = 2;
	text = text_of(report);
	report->processes = 0;
	report->process = NULL;
	HAS(text, "counters off no PMU; enable the vPMU\n");
	HAS(text, "not counted  cycles: this machine shows no PMU");
}

Test(report_text, prints_a_dash_for_what_was_not_counted)
{
	struct selfmon_report *report = model_make(1);
	struct selfmon_row *row;
	const char *text;

	model_column(report, "cycles", SELFMON_EXACT);
	model_column(report, "LLC-loads", SELFMON_NOT_COUNTED);
	strcpy(report->column[1].reason, "LLC-loads: this PMU has none");
	row = model_row(report, -1, "work", 3, 1000, 1000);
	model_counter(row, 0, SELFMON_EXACT, 12345);
	text = text_of(report);
	HAS(text, "not counted  LLC-loads: this PMU has none");
	HAS(text, "12345           -\n");
	HAS(text, "  - not counted");
}

Test(report_text, prints_dashes_where_no_visit_was_measured)
{
	struct selfmon_report *report = model_make(1);
	struct selfmon_row *row = model_row(report, -1, "gone", 0, 0, 0);
	const char *text;

	row->time.verdict = SELFMON_NOT_COUNTED;
	row->cut_off = 7;
	row->exclusive_valid = false;
	text = text_of(report);
	HAS(text, "\ngone               0x        -");
	HAS(text, "  x some visits were cut off");
	HAS(text, "  gone: 7 cut off");
	LACKS(text, " 0 ns");
}

Test(report_text, marks_and_explains_what_is_not_exact)
{
	struct selfmon_report *report = model_make(4);
	struct selfmon_row *row;
	const char *text;

	model_column(report, "cycles", SELFMON_EXACT);
	row = model_row(report, -1, "scaled", 4, 9e6, 9e6);
	model_counter(row, 0, SELFMON_SCALED, 123456);
	row = model_row(report, -1, "slow", 4, 8e6, 8e6);
	model_counter(row, 0, SELFMON_SYSCALL, 54321);
	row = model_row(report, -1, "left", 4, 7e6, 7e6);
	model_counter(row, 0, SELFMON_EXACT, 777);
	row->counter[0].visits = 3;
	row->open = 1;
	row->exclusive_valid = false;
	row = model_row(report, -1, "noise", 4, 5, 5);
	row->time.net = -3;
	row->time.net_exclusive = -3;
	model_counter(row, 0, SELFMON_EXACT, 4000);
	text = text_of(report);
	HAS(text, "123.5 k~\n");
	HAS(text, "54321s");
	HAS(text, "777!");
	HAS(text, "4*");
	HAS(text, "-^");
	HAS(text, "0 ns?");
	HAS(text, "on a counter for 62.5% of the time");
	HAS(text, "  ! some visits");
	HAS(text, "  s read by system call");
	HAS(text, "  ? within the noise");
	HAS(text, "  ^ self time unknown");
	LACKS(text_of(model_counters()), "  ~");
}

Test(report_text, splits_eight_counters_over_tables)
{
	static const char *const name[] = {
		"cycles", "instructions", "branch-misses", "cache-misses",
		"L1-dcache-load-misses", "L1-icache-load-misses",
		"cpu/event=0xc0,umask=0x1,cmask=3,inv/", "page-faults",
	};
	struct selfmon_report *report = model_make(1);
	struct selfmon_row *row;
	const char *text;
	size_t i;

	for (i = 0; i < 8; i++)
		model_column(report, name[i], SELFMON_EXACT);
	row = model_row(report, -1, "a region with a rather long name", 9,
			1e6, 1e6);
	for (i = 0; i < 8; i++)
		model_counter(row, i, SELFMON_EXACT, 1000.0 * (double)(i + 1));
	text = text_of(report);
	HAS(text, "L1-dcache-");
	for (i = 1; i <= 8; i++) {
		char value[16];

		snprintf(value, sizeof(value), " %zu000", i);
		HAS(text, value);
	}
}

Test(report_text, tells_twins_apart_by_file_and_line)
{
	struct selfmon_report *report = model_make(3);
	const char *text;

	model_row(report, -1, "parse", 1, 300, 300)->file = "/a/b/one.c";
	model_row(report, -1, "parse", 1, 200, 200)->file = "two.c";
	model_row(report, 0, "parse", 1, 100, 100);
	text = text_of(report);
	HAS(text, "parse (one.c:10) ");
	HAS(text, "parse (two.c:20) ");
	HAS(text, "  parse  ");
}

Test(report_text, escapes_names_of_any_bytes)
{
	const char *text = all_of(model_hostile());

	HAS(text, "\n\\x01 ");
	HAS(text, "\n\\xFF ");
	HAS(text, "\n\\ ");
	HAS(text, "\n  \\x1B[31mred ");
	HAS(text, "\n  \\xE2\\x80\\xAEevil ");
	HAS(text, "\n  \xe6\xbc\xa2\xe5\xad\x97 ");
	HAS(text, "xxx\xe2\x80\xa6xxx");
}

Test(report_text, fits_200_levels)
{
	struct selfmon_report *report = model_make(200);
	const char *text;
	int i;

	for (i = 0; i < 200; i++)
		model_row(report, i - 1, "level", 1, 1e6 - i, 1);
	text = all_of(report);
	HAS(text, "\n      level ");
	HAS(text, "\n        [199] level ");
}

Test(report_text, prints_every_row_of_10000)
{
	struct selfmon_report *report = model_make(10000);
	char (*name)[16] =
		(void *)model_keep_text(calloc(10000, sizeof(*name)));
	const char *text;
	size_t i;

	for (i = 0; i < 10000; i++) {
		snprintf(name[i], sizeof(name[i]), "region %zu", i);
		model_row(report, -1, name[i], 1, 100, 100)->migrated = 1;
	}
	text = all_of(report);
	cr_assert_geq(lines_of(text), 10000);
	cr_assert_leq(lines_of(text), 10060);
	HAS(text, "\nregion 9999 ");
	HAS(text, "and 9970 more rows: 9970 ended on another CPU");
}

Test(report_text, has_one_note_on_rows_whose_names_do_not_differ)
{
	struct selfmon_report *report = model_make(9);
	const char *text;
	int32_t i, place, around;

	for (i = 0; i < 3; i++) {
		place = (int32_t)report->rows;
		model_row(report, -1, i ? "file" : "string", 1, 1e6, 1e5);
		around = (int32_t)report->rows;
		model_row(report, place, "protected", 1, 1e5, 1e4);
		model_row(report, around, "execute", 1, 1e4, 1e4)->cut_off =
			UINT64_C(4000) + (uint64_t)i;
	}
	report->row[5].open = 1;
	report->row[7].open = 2;
	text = text_of(report);
	HAS(text, "\n  protected > execute, in 3 rows: 1 open; 12003 cut off\n");
	HAS(text, "\n  file > protected: 2 open\n");
	LACKS(text, "\n  protected > execute: ");
}

static void fill(char *text, size_t size, char c)
{
	memset(text, c, size - 1);
	text[size - 1] = '\0';
}

Test(report_text, fits_whatever_the_header_says)
{
	struct selfmon_report *report = model_counters();

	fill(report->program, sizeof(report->program), '\xfe');
	fill(report->cpu, sizeof(report->cpu), 'c');
	fill(report->kernel, sizeof(report->kernel), 'k');
	fill(report->events_reason, sizeof(report->events_reason), 'e');
	fill(report->counters_off, sizeof(report->counters_off), 'o');
	/* With automatic events, only one reason is shown. */
	report->choice = SELFMON_CHOICE_LIST;
	fill(report->read_reason, sizeof(report->read_reason), 'r');
	fill(report->limited[SELFMON_LIMITED_LESS].reason, SELFMON_TEXT_MAX,
	     'd');
	fill(report->column[1].name, SELFMON_EVENT_NAME_SIZE, 'n');
	fill(report->column[2].reason, SELFMON_TEXT_MAX, '\n');
	fill(report->note[0], SELFMON_MESSAGE_SIZE, 'm');
	report->notes = 1;
	report->forked = report->fence = report->strict = true;
	report->every = 1000;
	report->limited[SELFMON_LIMITED_SLOW].threads =
		report->limited[SELFMON_LIMITED_LESS].threads =
		report->limited[SELFMON_LIMITED_TIME].threads = UINT64_MAX;
	report->refused = report->too_deep = report->unready = report->stale =
		report->unread = report->displaced = report->evicted =
			UINT64_MAX;
	text_of(report);
}

Test(report_text, fits_numbers_of_any_size)
{
	static const double value[] = { 0, -1, 1e-9, 999.99, 99999.9, 1e19,
					1e300, (double)INFINITY, (double)NAN };
	struct selfmon_report *report = model_make(9);
	size_t i, k;

	model_column(report, "cycles", SELFMON_EXACT);
	model_column(report, "instructions", SELFMON_EXACT);
	for (i = 0; i < 9; i++) {
		struct selfmon_row *row = model_row(report, -1, "a", 1, 1, 1);

		row->visits = UINT64_MAX;
		row->time.net = row->time.net_exclusive = value[i];
		row->p99_ns = row->time.max = UINT64_MAX;
		for (k = 0; k < 2; k++) {
			model_counter(row, k, SELFMON_SCALED, 1);
			row->counter[k].net = k ? 1e19 : value[i];
			row->counter[k].share_on_pmu = (double)NAN;
		}
	}
	report->total_ns = report->inner_ns = report->elapsed_ns = (double)NAN;
	LACKS(text_of(report), "nan");
	report->total_ns = 1e-300;
	LACKS(text_of(report), "inf");
}

Test(report_text, prints_clocks_as_time)
{
	struct selfmon_report *report = model_make(1);
	struct selfmon_row *row;

	model_column(report, "task-clock", SELFMON_SYSCALL);
	model_column(report, "cpu-clock:u", SELFMON_SYSCALL);
	model_column(report, "page-faults", SELFMON_SYSCALL);
	row = model_row(report, -1, "work", 1, 200e6, 200e6);
	model_counter(row, 0, SELFMON_SYSCALL, 178.3e6);
	model_counter(row, 1, SELFMON_SYSCALL, 1234);
	model_counter(row, 2, SELFMON_SYSCALL, 178.3e6);
	HAS(line_of(text_of(report), "work         178.3 ms"),
	    "   1.234 us   178.3 M");
}

Test(report_text, explains_a_row_without_visits)
{
	struct selfmon_report *report = model_make(2);
	struct selfmon_row *row = model_row(report, -1, "moved", 0, 0, 0);

	row->time.verdict = SELFMON_NOT_COUNTED;
	model_row(report, 0, "below it", 1, 100, 100);
	HAS(text_of(report), "\nmoved              0m        -");
	HAS(text_of(report), "\n  m no visits here, only their children: ");
	LACKS(text_of(model_counters()), "\n  m ");
}

/*
 * Returns the text of a report merged from two processes. The overhead was
 * measured in `calibrated` of them.
 */
static const char *merged(size_t calibrated)
{
	struct selfmon_report *report = model_time();
	size_t i;

	report->calibrated = false;
	report->processes = 2;
	report->process = calloc(2, sizeof(*report->process));
	for (i = 0; i < calibrated; i++)
		report->process[i].calibrated = true;
	return text_of(report);
}

Test(report_text, says_of_merged_reports_what_was_subtracted)
{
	HAS(merged(0), "\noverhead     not measured, not subtracted\n");
	HAS(merged(0), " Values are as measured; ");
	HAS(merged(1), "\noverhead     measured in 1 of 2 processes, and "
		       "subtracted there\n");
	HAS(merged(1), " Values are net in 1 of 2 processes; ");
	HAS(merged(2), " Values are net of the library's overhead; ");
	LACKS(merged(2), "as measured");
}
