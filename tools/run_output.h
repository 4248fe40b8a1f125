/* SPDX-License-Identifier: MIT */
/* The file for a program's report, and whether it was written. */
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
	/* Format that run_output_make() makes, or RUN_NOT_MADE. */
	enum run_made made;
	/*
	 * State of the file before the run; st_nlink is 0 if it did not exist.
	 */
	struct stat before;
};

/*
 * Sets *out. file and format are those that the user gave, or NULL. Returns 0,
 * or an exit status with a message.
 */
int run_output_take(struct run_output *out, const char *file,
		    const char *format, bool children);

/*
 * run_live_take() makes the name of a live file absolute. Returns 0, or an exit
 * status with a message.
 *
 * run_live_say() is called after the program's exit. It prints how to read the
 * file, or that there is no file.
 */
int run_live_take(const char *file, char path[RUN_OUTPUT_SIZE]);
void run_live_say(const char *live, const struct child *child);

/*
 * Makes HTML, folded stacks or pprof if requested. Returns false with a message
 * after an error.
 */
bool run_output_make(const struct run_output *out);

/* Prints where the report is, or why there is none. */
void run_output_say(const struct run_output *out, const struct child *child);

#endif
