/* SPDX-License-Identifier: MIT */
/*
 * Tests that escaped names cannot inject terminal escapes or spreadsheet
 * formulas. The original name must be recoverable from CSV and, if it is valid
 * UTF-8, from JSON.
 */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "form.h"
#include "platform/escape.h"
#include "unit/test_harmless.h"
#include "unit/test_report_model.h"

TestSuite(escape, .fini = model_free);

static const char *escaped(enum selfmon_for what, const char *name)
{
	static char to[4096];

	cr_assert_eq(selfmon_escape(what, to, sizeof(to), name), strlen(to));
	return to;
}

static const char *cell(void (*put)(FILE *stream, const char *s),
			const char *name)
{
	char *text = NULL;
	size_t size = 0;
	FILE *const stream = open_memstream(&text, &size);

	put(stream, name);
	fclose(stream);
	return model_keep_text(text);
}

/* ---- plain cases --------------------------------------------------------- */

static const struct {
	const char *name, *text, *csv, *json;
} known[] = {
	{ "read", "read", "read", "read" },
	{ "gr\xc3\xbc\xc3\x9f", "gr\xc3\xbc\xc3\x9f", "gr\xc3\xbc\xc3\x9f",
	  "gr\xc3\xbc\xc3\x9f" },
	{ "\x1b[2J", "\\x1B[2J", "\\x1B[2J", "\\u001B[2J" },
	{ "a\nb\tc\rd", "a\\x0Ab\\x09c\\x0Dd", "a\\x0Ab\\x09c\\x0Dd",
	  "a\\u000Ab\\u0009c\\u000Dd" },
	{ "\x7f", "\\x7F", "\\x7F", "\\u007F" },
	{ "\xc2\x9b" "31m", "\\xC2\\x9B31m", "\\xC2\\x9B31m", "\\u009B31m" },
	{ "\x9b", "\\x9B", "\\x9B", "\xef\xbf\xbd" },
	{ "\xd8\x9c", "\\xD8\\x9C", "\\xD8\\x9C", "\\u061C" },
	{ "\xe2\x80\xae" "fdp.exe", "\\xE2\\x80\\xAEfdp.exe",
	  "\\xE2\\x80\\xAEfdp.exe", "\\u202Efdp.exe" },
	{ "\xe2\x81\xa6", "\\xE2\\x81\\xA6", "\\xE2\\x81\\xA6", "\\u2066" },
	{ "\xe2\x80\xa8", "\\xE2\\x80\\xA8", "\\xE2\\x80\\xA8", "\\u2028" },
	{ "p\xe2\x80\x8bq", "p\\xE2\\x80\\x8Bq", "p\\xE2\\x80\\x8Bq",
	  "p\\u200Bq" },
	{ "\xf3\xa0\x80\xa1", "\\xF3\\xA0\\x80\\xA1", "\\xF3\\xA0\\x80\\xA1",
	  "\\uDB40\\uDC21" },
	{ "say \"a\\b\"", "say \"a\\b\"", "say \"\"a\\\\b\"\"",
	  "say \\\"a\\\\b\\\"" },
	{ "\xed\xa0\x80", "\\xED\\xA0\\x80", "\\xED\\xA0\\x80",
	  "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd" },
};

#define KNOWN (sizeof(known) / sizeof(known[0]))

Test(escape, writes_each_kind_of_character)
{
	size_t i;

	for (i = 0; i < KNOWN; i++) {
		cr_expect_str_eq(escaped(SELFMON_FOR_TEXT, known[i].name),
				 known[i].text);
		cr_expect_str_eq(escaped(SELFMON_FOR_CSV, known[i].name),
				 known[i].csv);
		cr_expect_str_eq(escaped(SELFMON_FOR_JSON, known[i].name),
				 known[i].json);
	}
}

Test(escape, puts_an_apostrophe_before_a_formula)
{
	cr_expect_str_eq(cell(selfmon_output_csv, "=1+1"), "\"'=1+1\"");
	cr_expect_str_eq(cell(selfmon_output_csv, "+1"), "\"'+1\"");
	cr_expect_str_eq(cell(selfmon_output_csv, "-1"), "\"'-1\"");
	cr_expect_str_eq(cell(selfmon_output_csv, "@SUM(1)"), "\"'@SUM(1)\"");
	cr_expect_str_eq(cell(selfmon_output_csv, "'tis"), "\"''tis\"");
	cr_expect_str_eq(cell(selfmon_output_csv, "1=1"), "\"1=1\"");
	cr_expect_str_eq(cell(selfmon_output_csv, ""), "\"\"");
}

Test(escape, never_splits_what_does_not_fit)
{
	char to[8];

	cr_expect_eq(selfmon_escape(SELFMON_FOR_TEXT, to, 8, "abcd\x1b"), 4);
	cr_expect_str_eq(to, "abcd");
	cr_expect_eq(selfmon_escape(SELFMON_FOR_TEXT, to, 8, "abc\x1b"), 7);
	cr_expect_str_eq(to, "abc\\x1B");
	cr_expect_eq(selfmon_escape(SELFMON_FOR_TEXT, to, 1, "a"), 0);
	cr_expect_str_eq(to, "");
}

/* ---- any bytes ----------------------------------------------------------- */

#define TRIES ((size_t)quick_or_all(10000, 100000))
#define LONGEST 24

/* xorshift64*: the same bytes in every run, with any C library. */
static uint64_t seed = 0x9e3779b97f4a7c15;

static size_t draw(size_t below)
{
	seed ^= seed >> 12;
	seed ^= seed << 25;
	seed ^= seed >> 27;
	return (size_t)((seed * 0x2545f4914f6cdd1d) >> 33) % below;
}

static const char *const piece[] = {
	"\x1b[31m", "\x1b]0;t\x07", "\n", "\t", "\r", "\x7f", "\xc2\x85",
	"\xc2\x9b", "\x9b", "\xd8\x9c", "\xe2\x80\x8e", "\xe2\x80\xae",
	"\xe2\x81\xa9", "\xe2\x80\xa8", "\xe2\x80\xa9", "\xe2\x80\x8b",
	"\xef\xbb\xbf", "\xe2\x80", "\xf0\x9f\x98\x80", "\xc3\xa4", "=", "+",
	"-", "@", "'", "\"", "\\", "/", ",", "\\x1B", "a", " ", "%s",
	"\xed\xa0\x80", "\xf3\xa0\x80\xa1",
};

/* Each piece has at most 6 bytes. */
static const char *any_name(char name[LONGEST * 6 + 1])
{
	const size_t pieces = draw(LONGEST);
	size_t length = 0, i;

	for (i = 0; i < pieces; i++) {
		const char *const one =
			piece[draw(sizeof(piece) / sizeof(piece[0]))];

		if (draw(4)) {
			memcpy(name + length, one, strlen(one));
			length += strlen(one);
		} else {
			name[length++] = (char)(draw(255) + 1);
		}
	}
	name[length] = '\0';
	return name;
}

Test(escape, keeps_text_of_any_bytes_harmless)
{
	const size_t tries = TRIES;
	char name[LONGEST * 6 + 1];
	char *again;
	size_t i;

	for (i = 0; i < tries; i++) {
		const char *const text =
			escaped(SELFMON_FOR_TEXT, any_name(name));

		harmless(text, "");
		again = strdup(text);
		cr_assert_str_eq(escaped(SELFMON_FOR_TEXT, again), again);
		free(again);
	}
}

Test(escape, gives_every_name_back_from_csv)
{
	const size_t tries = TRIES;
	char name[LONGEST * 6 + 1];
	size_t i;

	for (i = 0; i < tries; i++) {
		const char *const text =
			escaped(SELFMON_FOR_CSV, any_name(name));

		harmless(text, "");
		cr_assert_str_eq(csv_name(text), name);
	}
}

Test(escape, gives_every_valid_name_back_from_json)
{
	const size_t tries = TRIES;
	char name[LONGEST * 6 + 1];
	size_t i;

	for (i = 0; i < tries; i++) {
		const char *const text =
			escaped(SELFMON_FOR_JSON, any_name(name));

		harmless(text, "");
		if (is_utf8(name))
			cr_assert_str_eq(json_name(text), name);
	}
}

static void set(char *to, size_t size, const char *name)
{
	snprintf(to, size, "%.*s", (int)size - 1, name);
}

/*
 * Makes a report in which each name and each text of the header is one of 40
 * random names, which are stored in name.
 */
static struct selfmon_report *any_report(char (*name)[LONGEST * 6 + 1])
{
	struct selfmon_report *const report = model_make(20);
	struct selfmon_row *row;
	size_t i;

	for (i = 0; i < 20; i++) {
		row = model_row(report, (int32_t)draw(i + 1) - 1,
				any_name(name[i]), 3, 100, 100);
		row->file = any_name(name[20 + i]);
		row->cut_off = i;
	}
	set(report->program, sizeof(report->program), name[0]);
	set(report->cpu, sizeof(report->cpu), name[1]);
	set(report->events, sizeof(report->events), name[2]);
	set(report->note[0], SELFMON_MESSAGE_SIZE, name[3]);
	set(report->events_reason, SELFMON_TEXT_MAX, name[4]);
	set(report->counters_off, SELFMON_TEXT_MAX, name[4]);
	report->notes = 1;
	report->choice = SELFMON_CHOICE_FAILED;
	model_column(report, "", SELFMON_EXACT);
	model_column(report, "", SELFMON_NOT_COUNTED);
	set(report->column[0].name, SELFMON_EVENT_NAME_SIZE, name[5]);
	set(report->column[1].name, SELFMON_EVENT_NAME_SIZE, name[6]);
	set(report->column[1].reason, SELFMON_TEXT_MAX, name[7]);
	return report;
}

Test(escape, keeps_whole_reports_harmless)
{
	static char name[40][LONGEST * 6 + 1];
	const struct selfmon_report *report;
	int times = quick_or_all(50, 500);

	while (times-- > 0) {
		report = any_report(name);
		harmless(model_written(report, SELFMON_TEXT), "\n");
		harmless(model_written(report, SELFMON_JSON), "\n");
		harmless(model_written(report, SELFMON_CSV), "\r\n");
		model_free();
	}
}
