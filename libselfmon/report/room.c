/* SPDX-License-Identifier: MIT */
#include "report/room.h"

#include <stdlib.h>
#include <string.h>

#define ROOM_FIRST 16

bool selfmon_room_for_one(void *array, size_t used, size_t *room, size_t size)
{
	const size_t more = *room ? *room * 2 : ROOM_FIRST;
	void *place, *larger;

	if (used < *room)
		return true;
	memcpy(&place, array, sizeof(place));
	larger = realloc(place, more * size);
	if (!larger)
		return false;
	memcpy(array, &larger, sizeof(larger));
	*room = more;
	/* cppcheck-suppress memleak ; the caller's array has it */
	return true;
}
