/* SPDX-License-Identifier: MIT */
/*
 * Runs the library in single steps. A child visits regions, its parent sends it
 * a signal at each stop, and the child's handler visits regions too. Both are
 * one program, forked, so addresses are the same in both. The child stops at
 * breakpoints of its own to report its state; everything else is in shared
 * memory.
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
	STEP_BEGIN,   /* the code after this is stepped through */
	STEP_END,
	STEP_HANDLED, /* a handler is about to return */
	STEP_CHECKED, /* a round has ended correctly */
	STEP_WRONG    /* a round has failed; `why` says how */
};

struct step_shared {
	enum step_phase phase;
	char why[256];
	/* These events cannot be used; `why` has the reason. */
	bool cannot;
	bool handling; /* true while a handler runs */
	/* Counter reads in this round, except those of handlers. */
	unsigned int reads;
	struct stepped_pmu pmu;
};

/* One kind of handler. */
struct step_variant {
	const char *name;
	void (*visit)(void);
	unsigned int visits; /* number of visits that the handler makes */
	unsigned int cut_off;
	unsigned int bytes; /* bytes of work that it reports */
	bool other_stack;
	bool inner_stack; /* the other stack lies inside of main's stack */
	bool moves; /* moves events to other counters; STEP_USER only */
	bool ends;  /* ends user reads for the rest of the round */
};

/* The events that a scene's visits count. */
enum step_counters {
	STEP_TIME,    /* no events, only time */
	STEP_SYSCALL, /* the kernel's events, by read(2) */
	STEP_USER     /* in user space, see stepped_pmu.h */
};

/* Code that is stepped through. */
struct step_scene {
	const char *name;
	void (*prepare)(void); /* runs before the steps; may be NULL */
	void (*visit)(void);
	unsigned int visits; /* visits of a round */
	unsigned int cut_off;
	unsigned int bytes;
	enum step_counters counters;
	uint16_t members;      /* number of events, for STEP_USER */
	/*
	 * How often the counts of a round include its work: once for each visit
	 * that is open meanwhile.
	 */
	unsigned int works;
	/* Events move during read n of a round; 0: never. */
	unsigned int moved_at;
	bool cold;  /* starts with the thread's first visit */
	bool spans; /* enters spans, which a jump does not cut off */
	bool far;   /* the handler's visits cut off abandoned visits, too */
	bool many;  /* too many addresses for the quick and full forms */
	/*
	 * The quick form tests this scene with as many addresses and handlers
	 * as the full form. Set for the most important scenes: the fast paths,
	 * and a visit with counters after a jump.
	 */
	bool whole;
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

/* child.c: runs a scene until a round fails. */
void step_child(const struct step_scene *scene,
		const struct step_variant *variant, bool jump);
void step_handler(int number);
__attribute__((noreturn, format(printf, 1, 2))) void
step_wrong(const char *format, ...);

/*
 * counters.c checks the counts of the child's visits. step_counters_prepare()
 * is called before the first visit, and step_work() does the work of a scene.
 * step_counters_found() returns the work in all nodes. If `whole`, each update
 * of statistics is complete, so each event of the model must have its multiple
 * of the first event's count.
 */
void step_counters_prepare(const struct step_scene *scene);
void step_counters_again(void);
void step_work(void);
uint64_t step_counters_found(const struct step_scene *scene, bool whole);

/*
 * In symbols.c: a function of this program. step_symbol_of() and
 * step_symbol_named() return NULL if there is no such function.
 */
struct step_symbol {
	const char *name;
	uint64_t address, size;
	uint64_t stops; /* distinct addresses, counted by main.c */
};
extern uint64_t step_symbols_end; /* end of the functions of this test */
int step_symbols_read(void);
struct step_symbol *step_symbol_of(uint64_t address);
struct step_symbol *step_symbol_named(const char *name);
/*
 * Prints the number of stops in each required function. Returns true if each
 * had one. kernel_events: functions that run only with the kernel's events are
 * required, too.
 */
bool step_symbols_check(bool kernel_events);

#endif
