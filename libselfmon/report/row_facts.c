/* SPDX-License-Identifier: MIT */
#include "report/row_facts.h"

#include <string.h>

#include "store/name.h"
#include "store/statistics.h"

void selfmon_row_facts(struct selfmon_row *row,
		       const struct selfmon_gathered *from,
		       const struct selfmon_region *region)
{
	const uint64_t *rare = from->stats.rare;

	row->name = region->site.name;
	row->file = region->site.file;
	row->line = region->site.line;
	row->parent = from->parent;
	row->threads = from->threads;
	row->measured = selfmon_stats_visits(&from->stats);
	row->visits = row->measured + rare[SELFMON_RARE_SKIPPED];
	row->whole = row->measured - from->stats.partial;
	row->bytes = from->stats.units[SELFMON_IMPL_BYTES];
	row->items = from->stats.units[SELFMON_IMPL_ITEMS];
	memcpy(row->unit, from->stats.units, sizeof(row->unit));
	row->open = from->open;
	row->cut_off = rare[SELFMON_RARE_CUT_OFF];
	row->migrated = from->stats.migrated;
	row->disturbed = rare[SELFMON_RARE_DISTURBED];
	row->retried = rare[SELFMON_RARE_MOVED];
	row->slow = rare[SELFMON_RARE_SLOW];
	row->repaired = rare[SELFMON_RARE_REPAIRED];
	row->impossible = rare[SELFMON_RARE_IMPOSSIBLE];
	row->refused = rare[SELFMON_RARE_REFUSED];
	row->lost = rare[SELFMON_RARE_LOST];
	row->overlapped = rare[SELFMON_RARE_OVERLAPPED];
	row->switched = rare[SELFMON_RARE_STACK];
	row->suspended = rare[SELFMON_RARE_RESUMED];
	row->unsure = from->unsure;
	row->blocked_ns = from->ring.off.blocked_ns;
	row->preempted_ns = from->ring.off.preempted_ns;
	row->switches = from->ring.off.blocked + from->ring.off.preempted;
	row->preemptions = from->ring.off.preempted;
	row->samples = from->ring.samples;
}

/*
 * Returns true if a visit is open now, or was open when the interval began:
 * some of its children may have ended in the interval.
 */
static bool was_open(const struct selfmon_gathered *row)
{
	return row->open || row->open_before;
}

/*
 * Returns true if the parent's self time is wrong because of this row. The time
 * of visits that are open or were cut off is not recorded, so it cannot be
 * subtracted. The nesting of visits in a coroutine is unknown.
 */
static bool spoils_parent(const struct selfmon_gathered *from,
			  const struct selfmon_row *row)
{
	return was_open(from) || row->switched || row->cut_off;
}

void selfmon_row_judge_self(struct selfmon_report *report,
			    const struct selfmon_gather *gather)
{
	size_t i;

	for (i = 0; i < report->rows; i++) {
		struct selfmon_row *row = &report->row[i];

		row->exclusive_valid = !was_open(&gather->row[i]) &&
				       !row->cut_off && !row->overlapped &&
				       !row->switched;
	}
	for (i = 0; i < report->rows; i++)
		if (spoils_parent(&gather->row[i], &report->row[i]) &&
		    report->row[i].parent >= 0)
			report->row[report->row[i].parent].exclusive_valid =
				false;
}
