/* SPDX-License-Identifier: MIT */
/* What a soak does for as long as it is told, and what it counts. */
#ifndef SELFMON_TESTS_SOAK_H
#define SELFMON_TESTS_SOAK_H

#include <stdbool.h>
#include <stdint.h>

/* Regions, by the name that each visit of them has. */
enum soak_kind {
	SOAK_SHORT,   /* of threads that come and go */
	SOAK_NESTED,  /* below those */
	SOAK_JUMPED,  /* left by longjmp */
	SOAK_SIGNAL,  /* of handlers */
	SOAK_PLUGIN,  /* of code that is unloaded */
	SOAK_MANY,    /* of names made at run time */
	SOAK_KINDS
};

extern const char *const soak_name[SOAK_KINDS];
extern uint64_t soak_done[SOAK_KINDS];
/* The round is over: whoever works comes to its end. */
extern bool soak_over;

static inline void soak_count(enum soak_kind kind, uint64_t visits)
{
	__atomic_add_fetch(&soak_done[kind], visits, __ATOMIC_RELAXED);
}

static inline bool soak_goes_on(void)
{
	return !__atomic_load_n(&soak_over, __ATOMIC_RELAXED);
}

/* Says what is wrong, and ends the process. */
void soak_fail(const char *format, ...)
	__attribute__((noreturn, format(printf, 1, 2)));

/* work.c: each a thread's function, until the round is over. */
typedef void *soak_worker(void *unused);
extern soak_worker *const soak_workers[];
extern const unsigned int soak_worker_count;
void soak_handle(int number);
extern const char *soak_plugin;

/* check.c */
struct soak_held {
	long descriptors, maps, resident_kib;
};
void soak_hold(struct soak_held *held);
/* Of a report of this process, or of its live file. */
struct selfmon_report;
void soak_check_report(const struct selfmon_report *report);
void soak_check_all(const struct selfmon_report *report, const char *of);

#endif
