/* SPDX-License-Identifier: MIT */
/* Formats that are made from the program's report in JSON, after its end. */
#ifndef SELFMON_TOOLS_RUN_MADE_H
#define SELFMON_TOOLS_RUN_MADE_H

#include <stdbool.h>

/* The library's formats are not among these. */
enum run_made { RUN_NOT_MADE, RUN_HTML, RUN_FOLDED, RUN_PPROF, RUN_MADE_COUNT };
#define RUN_MADE_NAMES \
	[RUN_HTML] = "html", [RUN_FOLDED] = "folded", [RUN_PPROF] = "pprof"

/* The program writes JSON to the file's name with this ending. */
#define RUN_SOURCE_ENDING ".json"

/*
 * Makes a file from that JSON, which it removes. Returns false if it cannot,
 * after a message; true also if the program wrote no JSON.
 */
bool run_make(const char *path, enum run_made made);

#endif
