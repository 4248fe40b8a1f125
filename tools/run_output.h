/* SPDX-License-Identifier: MIT */
/* Where a program that is run will put its report, and whether it did. */
#ifndef SELFMON_TOOLS_RUN_OUTPUT_H
#define SELFMON_TOOLS_RUN_OUTPUT_H

#include <stdbool.h>
#include <sys/stat.h>

#include "child.h"

/* What the library takes in SELFMON_OUTPUT, the zero at its end included. */
#define RUN_OUTPUT_SIZE 4096

struct run_output {
	char value[RUN_OUTPUT_SIZE]; /* of SELFMON_OUTPUT; "": leave it */
	char path[RUN_OUTPUT_SIZE];  /* the file, %p in it; "": no file */
	bool is_page;                /* path is of HTML, made afterwards */
	struct stat before;          /* of the file; st_nlink 0: none */
};

/*
 * file, format: as the user gave them, or NULL. 0 or, with a message, an exit
 * status.
 */
int run_output_take(struct run_output *out, const char *file,
		    const char *format, bool children);

/*
 * The same of SELFMON_LIVE: its value, and how its file is read when the
 * program has ended, or that there is none.
 */
int run_live_take(const char *file, char path[RUN_OUTPUT_SIZE]);
void run_live_tell(const char *live, const struct child *child);

/*
 * Makes the page, if there is to be one, and says where the report went, or that
 * there is none.
 */
void run_output_tell(const struct run_output *out, const struct child *child);

#endif
