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
	size_t pieces; /* malloc, calloc, realloc, open_memstream, minus free */
	/*
	 * Mapped by selfmon_kernel_map_memory and not unmapped. Excludes sizes
	 * for which any_stays() is true.
	 */
	size_t bytes;
};

extern struct any_held any_held;

/*
 * Returns true if maps of this size are kept until the process exits. These are
 * words that are wiped in a child, pages of the descriptor table, the state of
 * the process, and chunks of memory for regions.
 */
bool any_stays(size_t size);

#endif
