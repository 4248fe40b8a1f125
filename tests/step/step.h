/* SPDX-License-Identifier: MIT */
/*
 * The library under single-steps: a child visits regions, its parent hands it
 * a signal wherever it stops, and the child's handler visits regions too.
 *
 * Both are one program, forked: addresses are the same in either. The child
 * stops at breakpoints of its own to say where it is; what else it has to say
 * lies in shared memory.
 */
#ifndef SELFMON_TESTS_STEP_H
#define SELFMON_TESTS_STEP_H

#include <setjmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Why the child stopped at a breakpoint of its own. */
enum step_phase {
	STEP_NONE,
	STEP_BEGIN,   /* what follows is to be stepped through */
	STEP_END,     /* the end of it */
	STEP_HANDLED, /* a handler is about to return */
	STEP_CHECKED, /* a round is over, and all is well */
	STEP_WRONG    /* or not: see why */
};

struct step_shared {
	enum step_phase phase;
	char why[256];
};

/* What a handler does. */
struct step_variant {
	const char *name;
	void (*visit)(void); /* the regions it visits */
	unsigned int visits; /* so many of them */
	unsigned int cut_off;
	unsigned int bytes; /* that it tells of */
	bool other_stack;
	bool inner_stack; /* the other one lies in main's own */
};

/* What is stepped through. */
struct step_scene {
	const char *name;
	void (*prepare)(void); /* not stepped; may be NULL */
	void (*visit)(void);
	unsigned int visits; /* of the regions of a round */
	unsigned int cut_off;
	unsigned int bytes;
	bool cold;  /* the thread's first visit of all */
	bool spans; /* of which jumps cut nothing off */
	bool far;   /* a handler cuts off what is to be cut off, too */
	bool many;  /* more addresses than are tried in short */
};

extern struct step_shared *step_shared;
extern const struct step_variant step_variants[];
extern const size_t step_variant_count;
extern const struct step_scene step_scenes[];
extern const size_t step_scene_count;

/* scenes.c */
void step_scenes_prepare(void);
void step_visit_other(void);

/* child.c: plays a scene for ever, or until something is wrong. */
void step_child(const struct step_scene *scene,
		const struct step_variant *variant, bool jump);
void step_handler(int number);

/* symbols.c: which function of this program an address is in; NULL: none. */
struct step_symbol {
	const char *name;
	uint64_t address, size;
	uint64_t stops; /* distinct ones; main.c counts */
};
extern uint64_t step_symbols_end; /* of the functions of this test */
int step_symbols_read(void);
struct step_symbol *step_symbol_of(uint64_t address);
struct step_symbol *step_symbol_named(const char *name);

#endif
