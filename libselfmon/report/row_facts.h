/* SPDX-License-Identifier: MIT */
/* Properties of a row other than its values. */
#ifndef SELFMON_REPORT_ROW_FACTS_H
#define SELFMON_REPORT_ROW_FACTS_H

#include "report/gather.h"
#include "report/model.h"

struct selfmon_region;

/*
 * Sets a row's name, its place in the source and in the tree, and its numbers
 * of visits, units, switches and samples.
 */
void selfmon_row_facts(struct selfmon_row *row,
		       const struct selfmon_gathered *from,
		       const struct selfmon_region *region);
/*
 * Decides which rows have self values: inclusive values minus the inclusive
 * values of the children. A row's self value is valid only if no visit of the
 * row is open, cut off, overlapping or in a coroutine. Also, no visit of a
 * child may be open, cut off or in a coroutine. In the report of an interval,
 * visits that were open when the interval began count as open.
 */
void selfmon_row_judge_self(struct selfmon_report *report,
			    const struct selfmon_gather *gather);

#endif
