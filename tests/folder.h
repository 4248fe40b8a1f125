/* SPDX-License-Identifier: MIT */
/*
 * For tests: removes directories. Files that include this must define
 * _GNU_SOURCE, because <ftw.h> declares nftw() only for X/Open programs.
 */
#ifndef SELFMON_TESTS_FOLDER_H
#define SELFMON_TESTS_FOLDER_H

#include <ftw.h>
#include <stdio.h>
#include <sys/stat.h>

static inline int folder_remove_one(const char *path, const struct stat *status,
				    int kind, struct FTW *place)
{
	(void)status;
	(void)kind;
	(void)place;
	return remove(path);
}

static inline void folder_remove(const char *path)
{
	nftw(path, folder_remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

#endif
