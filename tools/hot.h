/* SPDX-License-Identifier: MIT */
/* Lists the functions in which samples were taken. */
#ifndef SELFMON_TOOLS_HOT_H
#define SELFMON_TOOLS_HOT_H

#include "symbols.h"

struct hot {
	/*
	 * The innermost function, which may be inlined. All addresses of a
	 * module that have no symbol are one entry: `known` is false, and the
	 * name is the most frequent address. NULL for samples without an
	 * address.
	 */
	const struct symbol_function *function;
	const char *file; /* file of the most frequent line; "": unknown */
	uint32_t line;
	uint64_t count;	   /* samples */
	uint64_t at_line;  /* samples at file:line */
	bool inlined;	   /* all samples were in inlined copies */
};

/*
 * Lists the functions of some stacks, sorted by descending counts. Returns the
 * number of functions. The caller frees *list, which is NULL if out of memory.
 */
size_t hot_list(struct symbols *symbols,
		const struct selfmon_sampled_stack *stack, size_t stacks,
		struct hot **list);

#endif
