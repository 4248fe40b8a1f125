/* SPDX-License-Identifier: MIT */
/* The names of the units that the program counts. */
#ifndef SELFMON_STORE_UNIT_H
#define SELFMON_STORE_UNIT_H

#include <selfmon/region.h>

/* Returns unit i, or NULL. Units 0 and 1 are bytes and items. */
const struct selfmon_unit *selfmon_unit_at(uint32_t i);
/*
 * Returns true if a name has 1 to 31 of these characters: letters, digits, '_',
 * '-' and '.'.
 */
bool selfmon_unit_is_name(const char *name);

#endif
