/* SPDX-License-Identifier: MIT */
#include "report/columns.h"

#include <string.h>

#include "report/model.h"

/*
 * Stores in from[place] which column has this place in the order. Returns false
 * if the places are not a permutation.
 */
static bool find_places(const struct selfmon_report *report,
			size_t from[SELFMON_MAX_COUNTERS])
{
	bool taken[SELFMON_MAX_COUNTERS] = { false };
	size_t i;

	for (i = 0; i < report->columns; i++) {
		const uint32_t place = report->column[i].place;

		if (place >= report->columns || taken[place])
			return false;
		taken[place] = true;
		from[place] = i;
	}
	return true;
}

#define PUT_IN_ORDER(array, count, from)                                       \
	do {                                                                   \
		__typeof__((array)[0]) put_copy[SELFMON_MAX_COUNTERS];         \
		size_t put_i;                                                  \
									       \
		memcpy(put_copy, (array), (count) * sizeof((array)[0]));       \
		for (put_i = 0; put_i < (count); put_i++)                      \
			(array)[put_i] = put_copy[(from)[put_i]];              \
	} while (0)

static void order_rows(struct selfmon_report *report, const size_t *from)
{
	const size_t count = report->columns;
	size_t i;

	for (i = 0; report->row && i < report->rows; i++)
		PUT_IN_ORDER(report->row[i].counter, count, from);
	for (i = 0; report->detail && i < report->rows; i++) {
		PUT_IN_ORDER(report->detail[i].enabled_ns, count, from);
		PUT_IN_ORDER(report->detail[i].off_ns, count, from);
	}
}

static void put_columns(struct selfmon_report *report, const size_t *from)
{
	order_rows(report, from);
	PUT_IN_ORDER(report->inner, report->columns, from);
	PUT_IN_ORDER(report->outer, report->columns, from);
	PUT_IN_ORDER(report->column, report->columns, from);
}

void selfmon_report_columns_as_asked(struct selfmon_report *report)
{
	size_t from[SELFMON_MAX_COUNTERS] = { 0 };

	if (find_places(report, from))
		put_columns(report, from);
}

void selfmon_report_columns_keep(struct selfmon_report *report,
				 const bool keep[SELFMON_MAX_COUNTERS])
{
	size_t from[SELFMON_MAX_COUNTERS] = { 0 };
	size_t kept = 0, i;

	for (i = 0; i < report->columns; i++)
		if (keep[i])
			from[kept++] = i;
	put_columns(report, from);
	report->columns = kept;
}
