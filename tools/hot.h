/* SPDX-License-Identifier: MIT */
/* The functions in which samples were taken, by falling counts. */
#ifndef SELFMON_TOOLS_HOT_H
#define SELFMON_TOOLS_HOT_H

#include "symbols.h"

struct hot {
	/*
	 * The innermost function, which may be inlined. All addresses of a
	 * module without a symbol form one entry; function is then that of the
	 * address with most samples. NULL for samples without an address.
	 */
	const struct symbol_function *function;
	const char *file; /* file of the line with most samples; "": unknown */
	uint32_t line;
	uint64_t count;	   /* samples */
	uint64_t at_line;  /* of these samples, those at that line */
	bool inlined;	   /* all samples were in inlined copies */
};

/*
 * Lists the functions of some stacks. Returns their number. *list receives a
 * list that the caller frees; NULL without memory.
 */
size_t hot_list(struct symbols *symbols,
		const struct selfmon_sampled_stack *stack, size_t stacks,
		struct hot **list);

#endif
