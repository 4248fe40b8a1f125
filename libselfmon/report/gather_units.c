/* SPDX-License-Identifier: MIT */
#include "report/gather_units.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "report/bucket.h"
#include "report/room.h"

/*
 * Returns the row's counts of a unit, and makes them if needed. Returns NULL if
 * out of memory.
 */
static struct selfmon_gathered_unit *unit_for(struct selfmon_gather *gather,
					      size_t row, size_t unit)
{
	uint32_t *const index = &gather->row[row].unit[unit];

	if (*index)
		return &gather->unit[*index - 1];
	if (!selfmon_room_for_one(&gather->unit, gather->units,
				  &gather->units_room, sizeof(*gather->unit)))
		return NULL;
	gather->unit[gather->units] =
		(struct selfmon_gathered_unit){ .min = UINT64_MAX };
	*index = (uint32_t)++gather->units;
	return &gather->unit[*index - 1];
}

static int add_work_to(struct selfmon_gather *gather, size_t row,
		       const struct selfmon_work *work)
{
	struct selfmon_gathered_unit *const to =
		unit_for(gather, row, work->unit);
	size_t b;

	if (!to)
		return -ENOMEM;
	if (work->min < to->min)
		to->min = work->min;
	if (work->max > to->max)
		to->max = work->max;
	for (b = 0; b < SELFMON_BUCKETS; b++)
		to->histogram[b] += work->histogram[b];
	return 0;
}

static void name_unit(struct selfmon_gather *gather,
		      const struct selfmon_work *work)
{
	memcpy(gather->unit_name[work->unit], work->name, sizeof(work->name));
	if (work->unit >= gather->unit_names)
		gather->unit_names = work->unit + 1;
}

/*
 * Checks min and max: a visit that is being recorded may have set only one of
 * them, and a file may contain anything.
 */
int selfmon_gather_work(struct selfmon_gather *gather,
			const struct selfmon_gather_tree *tree,
			const struct selfmon_work *work)
{
	const struct selfmon_gather_place *const place =
		&tree->place[work->ordinal];
	int error;

	name_unit(gather, work);
	if (place->row < 0 || work->min > work->max)
		return 0;
	error = add_work_to(gather, (size_t)place->row, work);
	if (!error && gather->apart) {
		name_unit(&gather->apart->gather, work);
		error = add_work_to(&gather->apart->gather,
				    (size_t)place->apart, work);
	}
	return error;
}

const struct selfmon_gathered_unit *
selfmon_gathered_unit(const struct selfmon_gather *gather, size_t row,
		      size_t unit)
{
	const uint32_t index = gather->row[row].unit[unit];

	return index ? &gather->unit[index - 1] : NULL;
}

/* ---- intervals ----------------------------------------------------------- */

int selfmon_gather_units_copy(struct selfmon_gather *to,
			      const struct selfmon_gather *from)
{
	memcpy(to->unit_name, from->unit_name, sizeof(to->unit_name));
	to->unit_names = from->unit_names;
	if (!from->units)
		return 0;
	to->unit = calloc(from->units, sizeof(*to->unit));
	if (!to->unit)
		return -ENOMEM;
	memcpy(to->unit, from->unit, from->units * sizeof(*to->unit));
	to->units = to->units_room = from->units;
	return 0;
}

/*
 * If min or max did not change in the interval, replaces it by the bound of the
 * first or the last bucket with visits, if that is nearer to the values.
 */
static void bound_unit(struct selfmon_gathered_unit *unit,
		       const struct selfmon_gathered_unit *before)
{
	unsigned int first, last;

	selfmon_buckets_range(unit->histogram, &first, &last);
	if (unit->min == before->min && selfmon_gather_low(first) > unit->min)
		unit->min = selfmon_gather_low(first);
	if (unit->max == before->max && last < SELFMON_BUCKETS &&
	    selfmon_gather_low(last) - 1 < unit->max)
		unit->max = selfmon_gather_low(last) - 1;
}

void selfmon_gather_units_since(struct selfmon_gather *to, size_t row,
				const struct selfmon_gather *from,
				size_t before)
{
	const struct selfmon_gathered_unit *earlier;
	size_t i, b;

	for (i = 0; i < SELFMON_MAX_UNITS; i++) {
		const uint32_t index = to->row[row].unit[i];
		struct selfmon_gathered_unit *unit;

		earlier = selfmon_gathered_unit(from, before, i);
		if (!index || !earlier)
			continue;
		unit = &to->unit[index - 1];
		for (b = 0; b < SELFMON_BUCKETS; b++)
			unit->histogram[b] -=
				earlier->histogram[b] < unit->histogram[b]
					? earlier->histogram[b]
					: unit->histogram[b];
		bound_unit(unit, earlier);
	}
}
