/* SPDX-License-Identifier: MIT */
#ifndef SELFMON_PLATFORM_PATH_H
#define SELFMON_PLATFORM_PATH_H

#include <stdbool.h>
#include <stddef.h>

#define SELFMON_PATH_SIZE 4096

/*
 * Replaces %p by the process id and %% by a percent sign. Sets *names_process
 * if there was a %p. Returns false if the path does not fit.
 */
bool selfmon_path_expand(const char *name, size_t length,
			 char path[SELFMON_PATH_SIZE], bool *names_process);

#endif
