/* SPDX-License-Identifier: MIT */
/*
 * Counts the resources that the library has: heap memory, and memory that it
 * mapped.
 */
#ifndef TESTS_FAULT_ANY_H
#define TESTS_FAULT_ANY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct any_held {
	size_t pieces; /* calloc, realloc, open_memstream, minus free */
	size_t bytes;  /* mapped by selfmon_kernel_map_memory */
};

extern struct any_held any_held;

/*
 * Returns true if a map of this size exists until the process exits: a word
 * that is wiped in a child, a page of the descriptor table, the state of the
 * process, a chunk of memory for regions.
 */
bool any_stays(size_t size);

#endif
