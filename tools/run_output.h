/* SPDX-License-Identifier: MIT */
/* The location of a program's report, and whether it was written. */
#ifndef SELFMON_TOOLS_RUN_OUTPUT_H
#define SELFMON_TOOLS_RUN_OUTPUT_H

#include <stdbool.h>
#include <sys/stat.h>

#include "child.h"
#include "run_made.h"

/* Maximum size of SELFMON_OUTPUT, including the final zero. */
#define RUN_OUTPUT_SIZE 4096

struct run_output {
	/* Value of SELFMON_OUTPUT; "": do not set it. */
	char value[RUN_OUTPUT_SIZE];
	char path[RUN_OUTPUT_SIZE];  /* the file's name, with %p; "": no file */
	enum run_made made;          /* path is of this kind */
	/* State of the file before; st_nlink 0: it did not exist. */
	struct stat before;
};

/*
 * file and format are those of the user, or NULL. Returns 0, or an exit status
 * with a message.
 */
int run_output_take(struct run_output *out, const char *file,
		    const char *format, bool children);

/*
 * Does the same for SELFMON_LIVE. The second function is called after the
 * program's end: it prints how to read the file, or that there is none.
 */
int run_live_take(const char *file, char path[RUN_OUTPUT_SIZE]);
void run_live_say(const char *live, const struct child *child);

/*
 * Makes the page or another such format if requested, then prints where the
 * report is, or why there is none.
 */
void run_output_say(const struct run_output *out, const struct child *child);

#endif
