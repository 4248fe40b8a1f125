/* SPDX-License-Identifier: MIT */
/*
 * The structures and functions that the macros of regions use: sites, frames,
 * enter and leave. Private, except for the frames that programs allocate, the
 * types of handles, and SELFMON_MAX_UNITS.
 */
#ifndef SELFMON_SITE_H
#define SELFMON_SITE_H

#include "compiler.h"

SELFMON_C_BEGIN

/* A region's location in the source, or a name made at run time. Private. */
struct selfmon_site {
	uint32_t line;
	/*
	 * Id of the region; 0 before the first visit. Not the first member,
	 * because gcc would then load the site's address into a register in
	 * inlined visits too, which do not need it.
	 */
	uint32_t id;
	/*
	 * After id is set, the name of a site in the source is not read again:
	 * the string may be unloaded. A handle's site has the library's copy.
	 */
	const char *name;
	const char *file;
	/*
	 * Byte offset of this region's slot in a parent node's array of cached
	 * children.
	 */
	uint64_t slot;
};

/* A region whose name is made at run time; exists as long as the process. */
struct selfmon_region;

/*
 * An open visit. Private, but with a fixed size in any language, since callers
 * of selfmon_enter() allocate it: 32 bytes, aligned to 8.
 */
struct selfmon_frame {
	void *open;      /* the thread's entry of this visit; NULL: not open */
	uint64_t reserved[3];
};

/* Maximum number of units in a process, including bytes and items. */
#define SELFMON_MAX_UNITS 8
#define SELFMON_UNIT_NAME_SIZE 32

/* A unit that the program counts; exists as long as the process. Private. */
struct selfmon_unit {
	uint32_t number;
	char name[SELFMON_UNIT_NAME_SIZE];
};

#ifndef SELFMON_DISABLE

/* 1: regions are measured; 0: they are switched off. Private, read-only. */
SELFMON_API extern uint32_t selfmon_impl_on;

/* The site that NULL handles use. Its visits are not measured. Private. */
SELFMON_API extern struct selfmon_site selfmon_impl_nowhere;

SELFMON_API void selfmon_impl_enter(struct selfmon_site *site,
				    struct selfmon_frame *frame);
SELFMON_API void selfmon_impl_enter_span(struct selfmon_site *site,
					 struct selfmon_frame *frame);
SELFMON_API void selfmon_impl_enter_far(struct selfmon_site *site,
					struct selfmon_frame *frame,
					uintptr_t end);
SELFMON_API void selfmon_impl_leave(struct selfmon_frame *frame);
SELFMON_API struct selfmon_region *selfmon_impl_region(const char *name);

/* The built-in units. Private. */
enum selfmon_impl_unit { SELFMON_IMPL_BYTES, SELFMON_IMPL_ITEMS };
SELFMON_API void selfmon_impl_units(uint32_t unit, uint64_t n);
SELFMON_API uint64_t selfmon_impl_ticks(void);

#endif /* SELFMON_DISABLE */

SELFMON_C_END

#endif
