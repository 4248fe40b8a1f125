/* SPDX-License-Identifier: MIT */
/* Symbols of code made at run time (JIT), from perf's map files. */
#ifndef SELFMON_TOOLS_SYMBOLS_MAP_H
#define SELFMON_TOOLS_SYMBOLS_MAP_H

#include <stdint.h>

#define SYMBOLS_MAP_WHY_SIZE 160

struct symbols_map;

/*
 * Reads /tmp/perf-PID.map. If the file does not exist or cannot be trusted,
 * returns NULL with the reason.
 */
struct symbols_map *symbols_map_open(int32_t pid,
				     char why[SYMBOLS_MAP_WHY_SIZE]);
/* Accepts NULL. */
void symbols_map_close(struct symbols_map *map);
/*
 * Returns the name of the code at an address, or NULL. The name is valid until
 * the map is closed.
 */
const char *symbols_map_find(const struct symbols_map *map, uint64_t address);

#endif
