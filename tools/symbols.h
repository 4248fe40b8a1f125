/* SPDX-License-Identifier: MIT */
/* Functions, files and lines for the addresses of a report's samples. */
#ifndef SELFMON_TOOLS_SYMBOLS_H
#define SELFMON_TOOLS_SYMBOLS_H

#include <stdbool.h>
#include <stdio.h>

#include "report/model.h"
#include "report/samples.h"

/*
 * A function. Pointers can be compared: equal functions, and equal names of
 * files, are stored only once.
 */
struct symbol_function {
	uint32_t id;	     /* from 1 on */
	int32_t module;	     /* index in the report's samples, or -1 */
	bool known;	     /* false: the name is module+0xN or 0xN */
	const char *name;    /* demangled if possible */
	const char *linkage; /* mangled name */
	const char *file;    /* file of its declaration; "": unknown */
	uint32_t line;	     /* line of its declaration; 0: unknown */
};

struct symbol_frame {
	const struct symbol_function *function;
	const char *file; /* file of the executed line; "": unknown */
	uint32_t line;
};

struct symbol_place {
	uint32_t id;	  /* from 1 on */
	int32_t module;	  /* as in struct symbol_function */
	uint64_t address; /* the address that was looked up */
	size_t frames;	  /* 0 if out of memory */
	const struct symbol_frame *frame; /* innermost inlined call first */
};

struct symbols;

/*
 * Enables requests to the servers in DEBUGINFOD_URLS for files that are not on
 * this machine. Without this call there are no requests.
 */
void symbols_use_debuginfod(void);
/* Prepares look-ups. Returns NULL if out of memory. */
struct symbols *symbols_open(const struct selfmon_report *report);
/* Accepts NULL. */
void symbols_close(struct symbols *symbols);
/* Returns true if any allocation since symbols_open() failed. */
bool symbols_failed(const struct symbols *symbols);

/*
 * Looks up address i of a stack. All addresses but the first are return
 * addresses, which may be directly after the end of the calling function. For
 * these, looks up the preceding byte.
 */
const struct symbol_place *
symbols_find(struct symbols *symbols, const struct selfmon_sampled_stack *stack,
	     uint32_t i);

/*
 * Returns false for a caller's address that has no module and no name: in code
 * without frame pointers such addresses are arbitrary numbers.
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
 * Returns why a module has no symbols, or NULL if it has. Call this after a
 * look-up. module -1 means addresses without a module.
 */
const char *symbols_why(const struct symbols *symbols, int32_t module);
/* Writes all reasons for missing symbols to standard error, one per line. */
void symbols_complain(const struct symbols *symbols);

#endif
