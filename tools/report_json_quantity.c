/* SPDX-License-Identifier: MIT */
#include "report_json_quantity.h"

#include <stdlib.h>

#include "report_json_text.h"

size_t report_json_buckets(struct json_in *in, json_t *list,
			   struct selfmon_row_bucket **to)
{
	struct selfmon_row_bucket *const buckets =
		calloc(json_array_size(list) + 1, sizeof(*buckets));
	size_t i;

	*to = buckets;
	if (!buckets) {
		json_in_wrong(in, "no memory");
		return 0;
	}
	for (i = 0; !in->fault[0] && i < json_array_size(list); i++) {
		json_t *const pair = json_in_element(in, list, i);
		struct selfmon_row_bucket *const bucket = &buckets[i];

		if (json_array_size(pair) != 2)
			json_in_wrong(in, "a pair of ns and visits was "
				      "expected");
		bucket->ns = json_in_number(in, json_array_get(pair, 0));
		bucket->visits = json_in_count(in, json_array_get(pair, 1),
					       INT64_MAX);
		if (i && !(bucket->ns > bucket[-1].ns))
			json_in_wrong(in, "more ns were expected than in the "
				      "pair before");
		json_in_up(in);
	}
	return i;
}

/*
 * Older reports lack the member `histogram`. It is null if the times are
 * unknown.
 */
static void read_histogram(struct json_in *in, json_t *from,
			   struct selfmon_row_detail *to)
{
	json_t *const value = json_object_get(from, "histogram");

	if (!value || json_is_null(value))
		return;
	to->buckets = report_json_buckets(
		in, json_in_list(in, from, "histogram"), &to->bucket);
	json_in_up(in);
}

static void read_scaled(struct json_in *in, json_t *from,
			struct selfmon_row_detail *detail, size_t column)
{
	const json_t *const value = json_object_get(from, "scaled_enabled_ns");

	if (!value || json_is_null(value))
		return;
	detail->enabled_ns[column] =
		json_in_integer(in, from, "scaled_enabled_ns", INT64_MAX);
	detail->off_ns[column] = json_in_integer(
		in, from, "scaled_off_ns", detail->enabled_ns[column]);
}

static void read_values(struct json_in *in, json_t *from,
			const struct selfmon_row *row,
			struct selfmon_quantity *to)
{
	to->sum = json_in_integer(in, from, "sum", INT64_MAX);
	to->min = json_in_integer(in, from, "min", INT64_MAX);
	to->max = json_in_integer(in, from, "max", INT64_MAX);
	to->net = json_in_real(in, from, "net");
	to->noise = json_in_real(in, from, "noise");
	to->share_on_pmu = json_in_real(in, from, "share_on_pmu");
	if (json_object_get(from, "guessed"))
		to->guessed = json_in_real(in, from, "guessed");
	else if (to->verdict == SELFMON_SCALED) /* reports of 0.1 */
		to->guessed = 1 - to->share_on_pmu;
	if (row->exclusive_valid) {
		to->exclusive = json_in_signed(in, from, "exclusive");
		to->net_exclusive = json_in_real(in, from, "net_exclusive");
	}
	if (!to->visits || to->visits > row->measured)
		json_in_wrong(in, "visits: 1 to %llu were expected, those "
			      "measured", (unsigned long long)row->measured);
	if (to->min > to->max)
		json_in_wrong(in, "min: at most max was expected");
}

static void read_quantity(struct json_in *in, json_t *from,
			  const struct selfmon_row *row,
			  struct selfmon_quantity *to)
{
	to->verdict = report_json_verdict(in, from);
	to->visits = json_in_integer(in, from, "visits", INT64_MAX);
	if (in->fault[0])
		return;
	if (to->verdict != SELFMON_NOT_COUNTED)
		read_values(in, from, row, to);
	else if (!json_in_is_null(in, from, "sum"))
		json_in_wrong(in, "sum: null was expected, since it was not "
			      "counted");
}

/*
 * Reads the shortest and the longest visit. The oldest reports lack these
 * members, so report_json_read() computes them.
 */
static void read_extremes(struct json_in *in, json_t *from,
			  struct selfmon_row *row)
{
	if (!json_object_get(from, "shortest"))
		return;
	row->min_ns = json_in_integer(in, from, "shortest", INT64_MAX);
	row->max_ns = json_in_integer(in, from, "longest", INT64_MAX);
	row->unsure = (uint32_t)json_in_integer(in, from, "unsure",
						UINT32_MAX);
}

void report_json_time(struct json_in *in, json_t *row_json,
		      struct selfmon_row *row,
		      struct selfmon_row_detail *detail)
{
	json_t *const from = json_in_object(in, row_json, "time_ns");

	read_quantity(in, from, row, &row->time);
	if (!in->fault[0] && row->time.verdict != SELFMON_NOT_COUNTED) {
		row->p50_ns = json_in_integer(in, from, "p50", INT64_MAX);
		row->p90_ns = json_in_integer(in, from, "p90", INT64_MAX);
		row->p99_ns = json_in_integer(in, from, "p99", INT64_MAX);
		read_extremes(in, from, row);
		row->whole_ns = json_in_real(in, from, "whole");
		row->own_ns = (double)row->time.sum / (double)row->measured -
			      row->time.net / (double)row->visits;
		read_histogram(in, from, detail);
	}
	json_in_up(in);
}

void report_json_counters(struct json_in *in, json_t *row_json,
			  struct selfmon_row *row,
			  struct selfmon_row_detail *detail, size_t columns)
{
	json_t *const list = json_in_list(in, row_json, "counters");
	size_t i;

	if (!in->fault[0] && json_array_size(list) != columns)
		json_in_wrong(in, "%zu columns were expected, not %zu", columns,
			      json_array_size(list));
	for (i = 0; !in->fault[0] && i < columns; i++) {
		json_t *const from = json_in_element(in, list, i);

		read_quantity(in, from, row, &row->counter[i]);
		if (row->counter[i].verdict == SELFMON_SCALED)
			read_scaled(in, from, detail, i);
		json_in_up(in);
	}
	json_in_up(in);
}
