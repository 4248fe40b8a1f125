/* SPDX-License-Identifier: MIT */
/*
 * Counts what the library holds: memory from the heap, and memory that the
 * library mapped itself.
 */
#ifndef TESTS_FAULT_ANY_H
#define TESTS_FAULT_ANY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct any_held {
	size_t pieces; /* calloc, realloc, open_memstream; free */
	size_t bytes;  /* selfmon_kernel_map_memory and _unmap_memory */
};

extern struct any_held any_held;

/*
 * Returns true for the sizes of maps that exist as long as the process: a word
 * that a child finds zeroed, a page of the descriptor table, the state of the
 * process, chunks of memory for regions.
 */
bool any_stays(size_t size);

#endif
