/* SPDX-License-Identifier: MIT */
#include "report/units.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "report/bucket.h"
#include "report/gather_units.h"
#include "store/unit.h"

const struct selfmon_row_unit *
selfmon_row_unit(const struct selfmon_report *report, size_t row, size_t i)
{
	const struct selfmon_row_unit *const unit =
		report->detail ? report->detail[row].unit : NULL;

	return unit && unit[i].visits ? &unit[i] : NULL;
}

bool selfmon_unit_is_used(const struct selfmon_report *report, size_t i)
{
	size_t row;

	for (row = 0; row < report->rows; row++)
		if (selfmon_row_unit(report, row, i))
			return true;
	return false;
}

double selfmon_row_unit_quantile(const struct selfmon_row_unit *unit, double q)
{
	const double n =
		selfmon_buckets_quantile(unit->bucket, unit->buckets, q);

	if (n < (double)unit->min)
		return (double)unit->min;
	return n > (double)unit->max ? (double)unit->max : n;
}

struct selfmon_row_unit *selfmon_row_units(struct selfmon_row_detail *detail)
{
	if (!detail->unit)
		detail->unit = calloc(SELFMON_MAX_UNITS, sizeof(*detail->unit));
	return detail->unit;
}

int selfmon_row_unit_add(struct selfmon_row_unit *to,
			 const struct selfmon_row_unit *from)
{
	if (!from->visits)
		return 0;
	if (!to->visits || from->min < to->min)
		to->min = from->min;
	if (from->max > to->max)
		to->max = from->max;
	if (__builtin_add_overflow(to->visits, from->visits, &to->visits))
		to->visits = UINT64_MAX;
	return selfmon_buckets_add(&to->bucket, &to->buckets, from->bucket,
				   from->buckets);
}

int selfmon_row_units_add(struct selfmon_row_detail *to,
			  const struct selfmon_row_detail *from)
{
	int error = 0;
	size_t i;

	if (!from->unit)
		return 0;
	if (!selfmon_row_units(to))
		return -ENOMEM;
	for (i = 0; !error && i < SELFMON_MAX_UNITS; i++)
		error = selfmon_row_unit_add(&to->unit[i], &from->unit[i]);
	return error;
}

void selfmon_row_units_free(struct selfmon_row_detail *detail)
{
	size_t i;

	for (i = 0; detail->unit && i < SELFMON_MAX_UNITS; i++)
		free(detail->unit[i].bucket);
	free(detail->unit);
	detail->unit = NULL;
}

void selfmon_row_detail_free(struct selfmon_row_detail *detail)
{
	free(detail->bucket);
	selfmon_row_units_free(detail);
}

/* ---- from what was recorded ---------------------------------------------- */

void selfmon_report_units_begin(struct selfmon_report *report)
{
	for (report->units = 0; report->units < 2; report->units++)
		memcpy(report->unit[report->units],
		       selfmon_unit_at((uint32_t)report->units)->name,
		       SELFMON_UNIT_NAME_SIZE);
}

static int take_unit(struct selfmon_row_unit *to,
		     const struct selfmon_gathered_unit *from)
{
	unsigned int b;

	to->bucket = calloc(SELFMON_BUCKETS, sizeof(*to->bucket));
	if (!to->bucket)
		return -ENOMEM;
	to->min = from->min;
	to->max = from->max;
	for (b = 0; b < SELFMON_BUCKETS; b++) {
		if (!from->histogram[b])
			continue;
		to->visits += from->histogram[b];
		to->bucket[to->buckets].visits = from->histogram[b];
		to->bucket[to->buckets++].ns =
			selfmon_bucket_middle(b, from->max);
	}
	return 0;
}

int selfmon_report_units(struct selfmon_report *report,
			 const struct selfmon_gather *gather)
{
	const struct selfmon_gathered_unit *unit;
	int error = 0;
	size_t i, k;

	selfmon_report_units_begin(report);
	for (; report->units < gather->unit_names; report->units++)
		memcpy(report->unit[report->units],
		       gather->unit_name[report->units],
		       SELFMON_UNIT_NAME_SIZE);
	for (i = 0; i < report->rows && !error; i++) {
		for (k = 0; k < SELFMON_MAX_UNITS && !error; k++) {
			unit = selfmon_gathered_unit(gather, i, k);
			if (!unit)
				continue;
			if (!selfmon_row_units(&report->detail[i]))
				return -ENOMEM;
			error = take_unit(&report->detail[i].unit[k], unit);
		}
	}
	return error;
}

/* ---- public functions ---------------------------------------------------- */

size_t selfmon_report_unit_count(const struct selfmon_report *report)
{
	return report->units;
}

/*
 * Size of the struct in version 0.2, the first with this function. Later
 * versions may have more members.
 */
#define UNIT_SIZE_FIRST                                                        \
	(offsetof(struct selfmon_report_unit, p99) + sizeof(double))

int selfmon_report_unit(const struct selfmon_report *report, size_t row,
			size_t i, struct selfmon_report_unit *unit)
{
	static const struct selfmon_row_unit none;
	const struct selfmon_row_unit *of;

	if (unit->size < UNIT_SIZE_FIRST)
		return -EINVAL;
	if (row >= report->rows || i >= report->units)
		return -ENOENT;
	of = selfmon_row_unit(report, row, i);
	if (!of)
		of = &none;
	unit->name = report->unit[i];
	unit->sum = report->row[row].unit[i];
	unit->visits = of->visits;
	unit->min = of->min;
	unit->max = of->max;
	unit->p50 = selfmon_row_unit_quantile(of, 0.5);
	unit->p90 = selfmon_row_unit_quantile(of, 0.9);
	unit->p99 = selfmon_row_unit_quantile(of, 0.99);
	return 0;
}
