/* SPDX-License-Identifier: MIT */
/*
 * Formats that are made from the program's report in JSON, after the program
 * has ended.
 */
#ifndef SELFMON_TOOLS_RUN_MADE_H
#define SELFMON_TOOLS_RUN_MADE_H

#include <stdbool.h>

/* The formats that the library itself writes are not in this list. */
enum run_made { RUN_NOT_MADE, RUN_HTML, RUN_FOLDED, RUN_PPROF, RUN_MADE_COUNT };
#define RUN_MADE_NAMES \
	[RUN_HTML] = "html", [RUN_FOLDED] = "folded", [RUN_PPROF] = "pprof"

/*
 * The program writes its JSON to a file whose name has this ending in addition.
 */
#define RUN_SOURCE_ENDING ".json"

/*
 * Makes a file from that JSON, and removes the JSON. Returns false with a
 * message if that fails. Also returns true if the program wrote no JSON.
 */
bool run_make(const char *path, enum run_made made);

#endif
