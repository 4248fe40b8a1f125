/* SPDX-License-Identifier: MIT */
/* Names of files as they are set: with the process in them. */
#ifndef SELFMON_PLATFORM_PATH_H
#define SELFMON_PLATFORM_PATH_H

#include <stdbool.h>
#include <stddef.h>

#define SELFMON_PATH_SIZE 4096

/*
 * %p becomes the process id, %% a percent sign. names_process: there was a %p.
 * False: the path does not fit.
 */
bool selfmon_path_expand(const char *name, size_t length,
			 char path[SELFMON_PATH_SIZE], bool *names_process);

#endif
