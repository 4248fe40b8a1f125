/* SPDX-License-Identifier: MIT */
/* For tests: takes reports, and finds their rows by path. */
#ifndef SELFMON_TESTS_ROWS_H
#define SELFMON_TESTS_ROWS_H

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <selfmon.h>

static inline struct selfmon_report *rows_take(void)
{
	struct selfmon_report *report;

	cr_assert_eq(selfmon_report_take(&report), 0);
	return report;
}

/*
 * Returns true if the report, written in this format, contains the text. The
 * text may contain line breaks.
 */
static inline bool rows_say(const struct selfmon_report *report,
			    enum selfmon_format format, const char *words)
{
	char *text = NULL;
	size_t size;
	FILE *stream = open_memstream(&text, &size);
	bool found;

	cr_assert_eq(selfmon_report_write(report, format, stream), 0);
	fclose(stream);
	found = strstr(text, words) != NULL;
	free(text);
	return found;
}

/* Returns the row whose path from the root has these names, or NULL. */
#define ROWS_PATH(...) ((const char *const[]){ __VA_ARGS__ })
#define ROWS_FIND(report, ...)                                                 \
	selfmon_report_find(report, ROWS_PATH(__VA_ARGS__),                    \
			    sizeof(ROWS_PATH(__VA_ARGS__)) / sizeof(char *))

/* Like ROWS_FIND(), but the row must exist. */
#define ROWS_GET(report, ...)                                                  \
	__extension__({                                                        \
		const struct selfmon_row *rows_row =                           \
			ROWS_FIND(report, __VA_ARGS__);                        \
		cr_assert_not_null(rows_row, "no row " #__VA_ARGS__);          \
		rows_row;                                                      \
	})

/*
 * Returns a row's values of a unit. Fails the test if the row has no such unit.
 */
static inline struct selfmon_report_unit
rows_counted(const struct selfmon_report *report, const struct selfmon_row *row,
	     const char *name)
{
	const size_t i = (size_t)(row - selfmon_report_row(report, 0));
	struct selfmon_report_unit unit = { .size = sizeof(unit) };
	size_t k;

	for (k = 0; k < selfmon_report_unit_count(report); k++) {
		cr_assert_eq(selfmon_report_unit(report, i, k, &unit), 0);
		if (!strcmp(unit.name, name))
			return unit;
	}
	cr_assert_fail("no unit %s", name);
	return unit;
}

/* Checks the rules that hold for every row of every report. */
static inline void rows_check(const struct selfmon_report *report)
{
	size_t i;

	for (i = 0; i < selfmon_report_row_count(report); i++) {
		const struct selfmon_row *row = selfmon_report_row(report, i);
		const struct selfmon_quantity *time = &row->time;

		cr_assert(row->parent < (int32_t)i);
		if (time->verdict == SELFMON_NOT_COUNTED) {
			cr_assert_eq(time->sum, 0);
			continue;
		}
		cr_assert_leq(time->visits * time->min, time->sum,
			      "%s: sum below visits x min", row->name);
		cr_assert_geq(time->visits * time->max, time->sum,
			      "%s: sum above visits x max", row->name);
	}
}

#endif
