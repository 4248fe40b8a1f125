/* SPDX-License-Identifier: MIT */
/* The slowest visits: converts ticks and ids to times and names. */
#include "report/slow_visits.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "clock/clock.h"
#include "report/recorded.h"
#include "report/room.h"
#include "store/limits.h"
#include "store/name.h"

/* ---- gathered ------------------------------------------------------------ */

int selfmon_gather_slow(struct selfmon_gather *gather, uint32_t region,
			const struct selfmon_slow_visit *visit)
{
	struct selfmon_gathered_slow *to;

	if (!selfmon_room_for_one(&gather->slow, gather->slows,
				  &gather->slows_room, sizeof(*to)))
		return -ENOMEM;
	to = &gather->slow[gather->slows++];
	to->region = region;
	to->visit = *visit;
	return 0;
}

int selfmon_gather_slowest(struct selfmon_gather *gather,
			   struct selfmon_process *process)
{
	const struct selfmon_slowest *slowest =
		__atomic_load_n(&process->slowest, __ATOMIC_ACQUIRE);
	struct selfmon_slow_visit *const visit =
		slowest ? calloc(SELFMON_SLOW_SLOTS, sizeof(*visit)) : NULL;
	size_t i, n;
	int error = slowest && !visit ? -ENOMEM : 0;

	/*
	 * An incomplete report must not be the start or the end of an interval.
	 */
	if (slowest && !gather->unread) {
		gather->slow_serial = selfmon_slowest_begin(
			process, &gather->slow_begin);
		selfmon_limits_recall(process);
		selfmon_slowest_begun(process);
	}
	for (; slowest && !error; slowest = slowest->next) {
		n = selfmon_slowest_read(process, slowest, visit);
		for (i = 0; i < n && !error; i++)
			error = selfmon_gather_slow(gather, slowest->region,
						    &visit[i]);
	}
	free(visit);
	return error;
}

/* ---- settled ------------------------------------------------------------- */

static int compare_moments(const void *a, const void *b)
{
	const struct selfmon_slow_moment *const x = a, *const y = b;

	if (x->begin_ns != y->begin_ns)
		return x->begin_ns < y->begin_ns ? -1 : 1;
	return (x->ns < y->ns) - (x->ns > y->ns);
}

/*
 * Finds the visits that are not inside another visit. The parts are sorted by
 * their start; of those with the same start, the longest is first.
 */
static void find_outermost(struct selfmon_slow *slow)
{
	uint64_t end = 0;
	size_t i;

	for (i = 0; i < slow->parts; i++) {
		struct selfmon_slow_moment *const part = &slow->part[i];

		if (part->kind != SELFMON_PART_VISIT)
			continue;
		part->outermost = part->begin_ns >= end;
		if (part->begin_ns + part->ns > end)
			end = part->begin_ns + part->ns;
	}
}

static void sum_off_cpu(struct selfmon_slow *slow)
{
	struct selfmon_off_cpu *const off = &slow->off_cpu;
	size_t i;

	for (i = 0; i < slow->parts; i++) {
		const struct selfmon_slow_moment *const part = &slow->part[i];

		if (part->kind == SELFMON_PART_BLOCKED) {
			off->blocked_ns += part->ns;
			off->blocked++;
		} else if (part->kind == SELFMON_PART_PREEMPTED) {
			off->preempted_ns += part->ns;
			off->preempted++;
		}
	}
}

void selfmon_slow_settle(struct selfmon_slow *slow)
{
	qsort(slow->part, slow->parts, sizeof(slow->part[0]), compare_moments);
	find_outermost(slow);
	if (!slow->off_known)
		sum_off_cpu(slow);
}

static void put_part(const struct selfmon_recorded *recorded,
		     const struct selfmon_slow_part *from,
		     struct selfmon_slow_moment *to)
{
	const uint64_t id = from->ticks_region & SELFMON_ENDED_REGION_MASK;
	const struct selfmon_region *const region =
		id && id < SELFMON_ENDED_BLOCKED
			? selfmon_gather_region(&recorded->gather, (uint32_t)id)
			: NULL;

	to->kind = id == SELFMON_ENDED_BLOCKED	 ? SELFMON_PART_BLOCKED
		   : id == SELFMON_ENDED_PREEMPTED ? SELFMON_PART_PREEMPTED
						   : SELFMON_PART_VISIT;
	to->region = region ? region->site.name : "";
	to->begin_ns = selfmon_clock_ns(&recorded->clock, from->begin);
	to->ns = selfmon_clock_ns(&recorded->clock,
				  from->ticks_region >>
					  SELFMON_ENDED_REGION_BITS);
}

/*
 * Copies the values, which are in the order of recording, into the order of the
 * report's columns.
 */
static void put_slow_values(const struct selfmon_report *report,
		       const struct selfmon_recorded *recorded,
		       const struct selfmon_slow_visit *from,
		       struct selfmon_slow *to)
{
	size_t i, k;

	for (i = 0; i < report->columns; i++)
		for (k = 0; k < report->columns; k++)
			if (from->values >> k & 1 &&
			    recorded->column[k].place ==
				    report->column[i].place) {
				to->values |= UINT32_C(1) << i;
				to->value[i] = from->value[k];
			}
}

static void put_slow(const struct selfmon_report *report,
		     const struct selfmon_recorded *recorded,
		     const struct selfmon_gathered_slow *from,
		     struct selfmon_slow *to)
{
	const struct selfmon_slow_visit *const visit = &from->visit;
	const uint64_t first = report->start_ticks;
	size_t i;

	to->region = selfmon_gather_region(&recorded->gather, from->region)
			     ->site.name;
	to->ns = selfmon_clock_ns(&recorded->clock, visit->ticks);
	to->begin_ns = selfmon_clock_ns(
		&recorded->clock,
		visit->start > first ? visit->start - first : 0);
	to->ended_ns = visit->real_ns;
	to->tid = visit->tid;
	to->cpu = visit->cpu;
	to->flags = visit->flags;
	to->off_known = visit->flags & SELFMON_SLOW_OFF_CPU;
	to->off_cpu = visit->off_cpu;
	to->known_ns = selfmon_clock_ns(&recorded->clock, visit->known);
	to->listed_ns = selfmon_clock_ns(&recorded->clock, visit->listed);
	to->inner = visit->inner;
	put_slow_values(report, recorded, visit, to);
	to->parts = visit->parts < SELFMON_SLOW_PARTS ? visit->parts
						      : SELFMON_SLOW_PARTS;
	for (i = 0; i < to->parts; i++)
		put_part(recorded, &visit->part[i], &to->part[i]);
	selfmon_slow_settle(to);
}

static int compare_slows(const void *a, const void *b)
{
	const struct selfmon_gathered_slow *const x = a, *const y = b;

	if (x->region != y->region)
		return x->region < y->region ? -1 : 1;
	if (x->visit.ticks != y->visit.ticks)
		return x->visit.ticks > y->visit.ticks ? -1 : 1;
	return (x->visit.start > y->visit.start) -
	       (x->visit.start < y->visit.start);
}

int selfmon_slow_compare(const void *a, const void *b)
{
	const struct selfmon_slow *const x = a, *const y = b;
	const int names = strcmp(x->region, y->region);

	if (names)
		return names;
	if (x->ns != y->ns)
		return x->ns > y->ns ? -1 : 1;
	return (x->ended_ns > y->ended_ns) - (x->ended_ns < y->ended_ns);
}

/*
 * Adds the slowest visits of each region that have a serial number above
 * `after` and at most `until`.
 */
static int list_slow(struct selfmon_report *report,
		     const struct selfmon_recorded *recorded, uint64_t after,
		     uint64_t until)
{
	const struct selfmon_gather *const gather = &recorded->gather;
	struct selfmon_slow_list *list;
	size_t i, of_region = 0;

	if (!gather->slows)
		return 0;
	list = calloc(1, sizeof(*list) +
				 gather->slows * sizeof(list->visit[0]));
	report->slow = list; /* the report owns it and frees it */
	if (!list)
		return -ENOMEM;
	for (i = 0; i < gather->slows; i++) {
		const struct selfmon_gathered_slow *const from =
			&gather->slow[i];

		if (i && from->region != from[-1].region)
			of_region = 0;
		if (from->visit.serial > after && from->visit.serial <= until &&
		    of_region++ < SELFMON_SLOW_VISITS)
			put_slow(report, recorded, from,
				 &list->visit[list->visits++]);
	}
	qsort(list->visit, list->visits, sizeof(list->visit[0]),
	      selfmon_slow_compare);
	return 0;
}

int selfmon_report_take_slowest(struct selfmon_report *report,
				const struct selfmon_recorded *recorded)
{
	const struct selfmon_gather *const gather = &recorded->gather;

	if (gather->slows)
		qsort(gather->slow, gather->slows, sizeof(gather->slow[0]),
		      compare_slows);
	return list_slow(report, recorded, 0, UINT64_MAX);
}

int selfmon_report_slowest_since(struct selfmon_report *interval,
				 const struct selfmon_recorded *later,
				 const struct selfmon_recorded *earlier,
				 struct selfmon_region *const *named)
{
	const uint64_t after = earlier->gather.slow_serial;
	struct selfmon_recorded recorded = *later;
	int error;

	recorded.gather.named = named;
	error = list_slow(interval, &recorded, after,
			  later->gather.slow_serial);
	if (interval->slow)
		interval->slow->incomplete = later->gather.slow_begin > after;
	return error;
}
