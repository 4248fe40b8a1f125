/* SPDX-License-Identifier: MIT */
/* Arrays that grow. */
#ifndef SELFMON_REPORT_ROOM_H
#define SELFMON_REPORT_ROOM_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Makes room for one more element in an array with `used` elements. array is
 * the address of the pointer to the elements. Returns false if out of memory.
 */
bool selfmon_room_for_one(void *array, size_t used, size_t *room, size_t size);

#endif
