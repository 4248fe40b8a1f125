/* SPDX-License-Identifier: MIT */
/*
 * Merges the slowest visits of several processes: chooses the slowest ones of
 * each region. A visit's begin_ns stays relative to the first use of the
 * library in the visit's own process; ended_ns is a date.
 */
#include "report_merge_slowest.h"

#include <stdlib.h>
#include <string.h>

#include "report/slow_visits.h"
#include "report_merge_columns.h"
#include "tool.h"

struct slow_from {
	const struct selfmon_slow *visit;
	const struct selfmon_report *report;
};

static int compare_from(const void *a, const void *b)
{
	return selfmon_slow_compare(((const struct slow_from *)a)->visit,
				    ((const struct slow_from *)b)->visit);
}

/* Copies a visit. Its strings still belong to the file, like those of rows. */
static void put_visit(struct selfmon_report *to, const struct slow_from *from,
		      struct selfmon_slow *visit)
{
	size_t i, k;

	*visit = *from->visit;
	visit->values = 0;
	for (i = 0; i < from->report->columns; i++) {
		if (!(from->visit->values >> i & 1))
			continue;
		k = report_column_find(to, from->report, i);
		visit->values |= UINT32_C(1) << k;
		visit->value[k] = from->visit->value[i];
	}
}

static void put_slowest(struct selfmon_report *to, struct slow_from *from,
			size_t visits)
{
	size_t i, of_region = 0;

	qsort(from, visits, sizeof(*from), compare_from);
	for (i = 0; i < visits; i++) {
		if (i && strcmp(from[i].visit->region,
				from[i - 1].visit->region) != 0)
			of_region = 0;
		if (of_region++ < SELFMON_SLOW_VISITS)
			put_visit(to, &from[i],
				  &to->slow->visit[to->slow->visits++]);
	}
}

static size_t find_all(struct slow_from *from, bool *incomplete,
		       const struct report_file *files, size_t count)
{
	size_t i, k, n = 0;

	for (i = 0; i < count; i++) {
		const struct selfmon_report *const report = files[i].report;

		for (k = 0; report->slow && k < report->slow->visits; k++)
			from[n++] = (struct slow_from){
				&report->slow->visit[k], report
			};
		if (report->slow && report->slow->incomplete)
			*incomplete = true;
	}
	return n;
}

int report_merge_slowest(struct selfmon_report *to,
			 const struct report_file *files, size_t count)
{
	struct slow_from *from;
	size_t i, visits = 0;
	bool any = false;
	int status = 0;

	for (i = 0; i < count; i++)
		if (files[i].report->slow) {
			any = true;
			visits += files[i].report->slow->visits;
		}
	if (!any)
		return 0;
	from = calloc(visits + 1, sizeof(*from));
	to->slow = calloc(1, sizeof(*to->slow) +
				     visits * sizeof(to->slow->visit[0]));
	if (from && to->slow) {
		visits = find_all(from, &to->slow->incomplete, files, count);
		put_slowest(to, from, visits);
	}
	if (!from || !to->slow)
		status = tool_fail("report", "no memory");
	free(from);
	return status;
}
