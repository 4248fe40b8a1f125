/* SPDX-License-Identifier: MIT */
/* Functions, files and lines of the addresses of a report's samples. */
#ifndef SELFMON_TOOLS_SYMBOLS_H
#define SELFMON_TOOLS_SYMBOLS_H

#include <stdbool.h>
#include <stdio.h>

#include "report/model.h"
#include "report/samples.h"

/*
 * A function. Equal functions have the same address, and so have equal texts of
 * files.
 */
struct symbol_function {
	uint32_t id;	     /* from 1 on */
	int32_t module;	     /* index in the report's samples; -1: none */
	bool known;	     /* else name is module+0xoffset */
	const char *name;    /* demangled if possible */
	const char *linkage; /* as the linker knows it */
	const char *file;    /* file in which it is declared; "": unknown */
	uint32_t line;	     /* the same; 0: unknown */
};

struct symbol_frame {
	const struct symbol_function *function;
	const char *file; /* file of the line that was executed; "": unknown */
	uint32_t line;
};

struct symbol_place {
	uint32_t id;	  /* from 1 on */
	int32_t module;	  /* as above */
	uint64_t address; /* that was looked up */
	size_t frames;	  /* 0 without memory */
	const struct symbol_frame *frame; /* innermost inlined call first */
};

struct symbols;

/*
 * From now on, files that are not on this machine are requested from the
 * servers in DEBUGINFOD_URLS. Without this call there are no requests.
 */
void symbols_use_debuginfod(void);
/* Prepares look-ups, but looks up nothing yet. Returns NULL without memory. */
struct symbols *symbols_open(const struct selfmon_report *report);
/* Accepts NULL. */
void symbols_close(struct symbols *symbols);
/* Returns true if memory was short at any time since symbols_open(). */
bool symbols_failed(const struct symbols *symbols);

/*
 * Looks up address i of a stack. All addresses but the first are return
 * addresses, which may be just beyond the end of the calling function. So for
 * these the byte before is looked up.
 */
const struct symbol_place *
symbols_find(struct symbols *symbols, const struct selfmon_sampled_stack *stack,
	     uint32_t i);

/*
 * Returns false for an address of a caller that is in no module and has no
 * name: in code without frame pointers such addresses may be any numbers.
 */
static inline bool symbols_is_shown(const struct symbol_place *place,
				    uint32_t i)
{
	return place->frames && (!i || place->module >= 0 ||
				 place->frame[0].function->known);
}

/* Returns the index of an address's module, or -1 if it has none. */
int32_t symbols_module_of(const struct selfmon_samples *samples,
			  const struct selfmon_address *address);
/*
 * Returns why the symbols of a module are not known, or NULL if they are. Call
 * it after a look-up. module -1 stands for addresses without a module.
 */
const char *symbols_why(const struct symbols *symbols, int32_t module);
/* Writes these reasons to standard error, one in each line. */
void symbols_complain(const struct symbols *symbols);

#endif
