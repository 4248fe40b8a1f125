/* SPDX-License-Identifier: MIT */
/* File systems that copy on write, and files of theirs that are mapped. */
#ifndef SELFMON_PLATFORM_COW_H
#define SELFMON_PLATFORM_COW_H

#include <stdbool.h>

/*
 * Has an empty file written in place, where its file system knows how to. False
 * where it is known that, its blocks reserved or not, a write to a map of it
 * may still find the disk full.
 */
bool selfmon_cow_avoid(int fd);

#endif
