/* SPDX-License-Identifier: MIT */
#include "report/live_slowest.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>

#include "report/room.h"
#include "report/slow_visits.h"

int selfmon_live_note_slowest(struct selfmon_live_input *input, uint64_t offset,
			      uint64_t size)
{
	if (size != SELFMON_LIVE_ROUND(sizeof(struct selfmon_slowest)))
		return selfmon_live_wrong(input, offset,
					  "a record of slow visits has the "
					  "wrong size");
	if (!selfmon_room_for_one(&input->slowest, input->slowests,
				  &input->slowests_room,
				  sizeof(*input->slowest)))
		return selfmon_live_fails(input, -ENOMEM, "cannot be read");
	input->slowest[input->slowests++] = offset;
	return 0;
}

/*
 * Sets the region of a part to 0 (unknown) if the file does not contain the
 * region.
 */
static void check_parts(const struct selfmon_live_input *input,
			struct selfmon_slow_visit *visit)
{
	size_t i;

	if (visit->parts > SELFMON_SLOW_PARTS)
		visit->parts = SELFMON_SLOW_PARTS;
	for (i = 0; i < visit->parts; i++) {
		uint64_t *const word = &visit->part[i].ticks_region;
		const uint64_t region = *word & SELFMON_ENDED_REGION_MASK;

		if (region > input->regions && region < SELFMON_ENDED_BLOCKED)
			*word &= ~SELFMON_ENDED_REGION_MASK;
	}
}

/*
 * Adds *visit, which was read from the slot at `offset`. Leaves the visit out
 * if the slot is free. Also leaves it out if the slot's time has changed since
 * *visit was read: the process has overwritten the slot meanwhile.
 */
static int take_slow(struct selfmon_live_input *input, uint64_t offset,
		     uint32_t region, struct selfmon_slow_visit *visit)
{
	uint64_t ticks;
	int error = selfmon_live_get(
		input, offset + offsetof(struct selfmon_slow_visit, ticks),
		&ticks, sizeof(ticks));

	if (error || !visit->ticks || ticks != visit->ticks)
		return error;
	if (visit->serial > input->gather.slow_serial)
		input->gather.slow_serial = visit->serial;
	check_parts(input, visit);
	if (selfmon_gather_slow(&input->gather, region, visit))
		return selfmon_live_fails(input, -ENOMEM, "cannot be read");
	return 0;
}

static int take_slowest(struct selfmon_live_input *input, uint64_t offset,
			struct selfmon_slowest *slowest)
{
	int error = selfmon_live_get(input, offset, slowest, sizeof(*slowest));
	size_t i;

	if (error)
		return error;
	if (slowest->region == 0 || slowest->region > input->regions)
		return selfmon_live_wrong(input, offset,
					  "slow visits belong to no region");
	if (slowest->begin > input->gather.slow_begin)
		input->gather.slow_begin = slowest->begin;
	for (i = 0; i < SELFMON_SLOW_SLOTS && !error; i++)
		error = take_slow(input,
				  offset + offsetof(struct selfmon_slowest,
						    visit[0]) +
					  i * sizeof(slowest->visit[0]),
				  slowest->region, &slowest->visit[i]);
	return error;
}

int selfmon_live_slowest(struct selfmon_live_input *input)
{
	struct selfmon_slowest *const slowest =
		input->slowests ? malloc(sizeof(*slowest)) : NULL;
	size_t i;
	int error = 0;

	if (input->slowests && !slowest)
		return selfmon_live_fails(input, -ENOMEM, "cannot be read");
	for (i = 0; i < input->slowests && !error; i++)
		error = take_slowest(input, input->slowest[i], slowest);
	free(slowest);
	return error;
}
