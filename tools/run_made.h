/* SPDX-License-Identifier: MIT */
/*
 * Formats that selfmon run makes from the JSON report of a program, after the
 * program's exit.
 */
#ifndef SELFMON_TOOLS_RUN_MADE_H
#define SELFMON_TOOLS_RUN_MADE_H

#include <stdbool.h>

/* Does not include formats that the library itself writes. */
enum run_made { RUN_NOT_MADE, RUN_HTML, RUN_FOLDED, RUN_PPROF, RUN_MADE_COUNT };
#define RUN_MADE_NAMES \
	[RUN_HTML] = "html", [RUN_FOLDED] = "folded", [RUN_PPROF] = "pprof"

/*
 * The program writes its JSON to a file with the requested name plus this
 * ending. The ending includes the process id of selfmon, because FILE.json may
 * be a file of the user.
 */
#define RUN_SOURCE_ENDING ".%d.json"

/*
 * Removes the JSON report of an earlier run that had the same process id.
 * Returns false if the file system allows no name of this length.
 */
bool run_made_begin(const char *path);

/*
 * Makes the file from the JSON report, and removes the JSON report. If the
 * program wrote no JSON, does nothing and returns true. Returns false with a
 * message after an error.
 */
bool run_make(const char *path, enum run_made made);

#endif
