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

#include "stepped_pmu.h"

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
	bool cannot;        /* such events, here: why */
	bool handling;      /* a handler runs */
	unsigned int reads; /* of counters in this round, handlers' apart */
	struct stepped_pmu pmu;
};

/* One kind of handler. */
struct step_variant {
	const char *name;
	void (*visit)(void); /* the regions it visits */
	unsigned int visits; /* their number */
	unsigned int cut_off;
	unsigned int bytes; /* of work that it reports */
	bool other_stack;
	bool inner_stack; /* the other one lies in main's own */
	bool moves; /* events to other counters: where there are any */
	bool ends;  /* their reads in user space, for the round */
};

/* The events that a scene's visits count. */
enum step_counters {
	STEP_TIME,    /* nothing else */
	STEP_SYSCALL, /* the kernel's events, by read(2) */
	STEP_USER     /* in user space, see stepped_pmu.h */
};

/* Code that is stepped through. */
struct step_scene {
	const char *name;
	void (*prepare)(void); /* not stepped; may be NULL */
	void (*visit)(void);
	unsigned int visits; /* of the regions of a round */
	unsigned int cut_off;
	unsigned int bytes;
	enum step_counters counters;
	uint16_t members;      /* number of events, for STEP_USER */
	unsigned int works;    /* that a round's visits find, each its own */
	unsigned int moved_at; /* during read n of a round; 0: never */
	bool cold;  /* the thread's first visit of all */
	bool spans; /* spans: a jump does not cut them off */
	bool far;   /* a handler cuts off what is to be cut off, too */
	bool many;  /* more addresses than are tried in short */
	bool whole; /* the quick form is the full one: the fast path */
};

extern struct step_shared *step_shared;
#define STEP_VARIANTS_MAX 16
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
__attribute__((noreturn, format(printf, 1, 2))) void
step_wrong(const char *format, ...);

/*
 * counters.c: what the child's visits count. Before the first one; work, in the
 * scenes; and a look at all nodes: how much of it they have, and of whole
 * updates each event the same.
 */
void step_counters_prepare(const struct step_scene *scene);
void step_counters_again(void);
void step_work(void);
uint64_t step_counters_found(const struct step_scene *scene, bool whole);

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
/*
 * Returns true if there were stops in all required functions; prints their
 * number.
 */
bool step_symbols_check(bool kernel_events);

#endif
