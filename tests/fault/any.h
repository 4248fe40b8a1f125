/* SPDX-License-Identifier: MIT */
/* What the library holds: of the heap, and of memory mapped by itself. */
#ifndef TESTS_FAULT_ANY_H
#define TESTS_FAULT_ANY_H

#include <stddef.h>
#include <stdio.h>

struct any_held {
	size_t pieces; /* calloc, realloc, open_memstream; free */
	size_t bytes;  /* selfmon_kernel_map_memory and _unmap_memory */
};

extern struct any_held any_held;

#endif
