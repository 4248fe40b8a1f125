/* SPDX-License-Identifier: MIT */
/*
 * Tests that the columns of a report are put into the order of the
 * specification.
 */
#include <criterion/criterion.h>
#include <string.h>

#include "report/columns.h"
#include "report/model.h"

#define COLUMNS 4

static struct selfmon_row row[2];
static struct selfmon_row_detail detail[2];
static struct selfmon_report report;

/*
 * Makes a report whose columns are in the order of recording, and puts them
 * into the order of the specification. place[k] is the place of column k in the
 * specification.
 */
static void record(const uint32_t *place)
{
	size_t i, k;

	memset(&report, 0, sizeof(report));
	report.columns = COLUMNS;
	report.rows = 2;
	report.row = row;
	report.detail = detail;
	for (k = 0; k < COLUMNS; k++) {
		report.column[k].place = place[k];
		report.column[k].name[0] = (char)('a' + k);
		report.inner[k] = report.outer[k] = (double)k;
		for (i = 0; i < 2; i++) {
			row[i].counter[k].sum = 10 * i + k;
			detail[i].enabled_ns[k] = 10 * i + k;
			detail[i].off_ns[k] = 10 * i + k;
		}
	}
	selfmon_report_columns_as_asked(&report);
}

static void assert_order(const size_t *from)
{
	size_t i, k;

	for (k = 0; k < COLUMNS; k++) {
		cr_expect_eq(report.column[k].name[0], (char)('a' + from[k]));
		cr_expect_eq((size_t)report.inner[k], from[k]);
		cr_expect_eq((size_t)report.outer[k], from[k]);
		for (i = 0; i < 2; i++) {
			cr_expect_eq(row[i].counter[k].sum, 10 * i + from[k]);
			cr_expect_eq(detail[i].enabled_ns[k], 10 * i + from[k]);
			cr_expect_eq(detail[i].off_ns[k], 10 * i + from[k]);
		}
	}
}

Test(columns, go_to_their_places_with_all_that_rows_have_of_them)
{
	record((const uint32_t[]){ 0, 2, 3, 1 });
	assert_order((const size_t[]){ 0, 3, 1, 2 });
}

Test(columns, stay_where_places_are_no_order)
{
	record((const uint32_t[]){ 0, 2, 2, 1 });
	assert_order((const size_t[]){ 0, 1, 2, 3 });
	record((const uint32_t[]){ 0, 2, 4, 1 });
	assert_order((const size_t[]){ 0, 1, 2, 3 });
}
