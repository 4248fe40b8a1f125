/* SPDX-License-Identifier: MIT */
/*
 * The kinds of work that the soak test runs for the requested time, and the
 * number of visits of each kind.
 */
#ifndef SELFMON_TESTS_SOAK_H
#define SELFMON_TESTS_SOAK_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

/* Kinds of regions. The name of a visit's region shows its kind. */
enum soak_kind {
	SOAK_SHORT,   /* visits of threads that start and end */
	SOAK_NESTED,  /* visits inside SOAK_SHORT */
	SOAK_JUMPED,  /* left by longjmp */
	SOAK_SIGNAL,  /* visits in signal handlers */
	SOAK_PLUGIN,  /* visits in code that is unloaded */
	SOAK_MANY,    /* visits of regions named at run time */
	SOAK_CANCELLED, /* visits of threads that are cancelled */
	SOAK_TURN,    /* visits of coroutines on one thread */
	SOAK_MOVED,   /* visits that move from thread to thread */
	SOAK_SPAN,    /* some of these are left on another thread; and around */
	SOAK_VFORK,   /* visits of children that share this process's memory */
	SOAK_KINDS
};

extern const char *const soak_name[SOAK_KINDS];
extern uint64_t soak_done[SOAK_KINDS];
/* The round is over: all workers stop. */
extern bool soak_over;

static inline void soak_count(enum soak_kind kind, uint64_t visits)
{
	__atomic_add_fetch(&soak_done[kind], visits, __ATOMIC_RELAXED);
}

static inline bool soak_goes_on(void)
{
	return !__atomic_load_n(&soak_over, __ATOMIC_RELAXED);
}

void soak_fail(const char *format, ...)
	__attribute__((noreturn, format(printf, 1, 2)));

/* In main.c: starts a thread, or ends the process with a message. */
pthread_t soak_start(void *(*body)(void *), void *argument);

/*
 * Each of these is the function of a thread, which runs until the round is
 * over.
 */
void *soak_come_and_go(void *unused);      /* threads.c */
void *soak_cancel(void *unused);
void *soak_name_many(void *unused);
void *soak_jump_about(void *unused);       /* jumps.c */
void *soak_interrupt(void *unused);
void *soak_fork(void *unused);             /* children.c */
void *soak_clone(void *unused);
void *soak_vfork(void *unused);
void *soak_kill(void *unused);             /* victims.c */
void *soak_take_turns(void *unused);       /* coroutines.c */
void *soak_move_about(void *unused);
void *soak_pass_on(void *unused);          /* spans.c */
void *soak_load_and_unload(void *unused);  /* reports.c */
void *soak_report(void *unused);
void *soak_fail_often(void *unused);

/* Visits SOAK_SHORT this many times, and SOAK_NESTED below it as many times. */
#define SOAK_VISITS 50
void *soak_short_thread(void *unused);

void soak_handle(int number); /* SIGUSR1 */
extern const char *soak_plugin;

/* victims.c runs this program with this argument. */
#define SOAK_VICTIM "killed"
int soak_be_killed(const char *live, const char *counts);

/* check.c */
struct soak_held {
	long descriptors, maps, resident_kib;
};
void soak_hold(struct soak_held *held);
/* Check a report of this process or of its live file. */
struct selfmon_report;
void soak_check_report(const struct selfmon_report *report);
void soak_check_all(const struct selfmon_report *report, const char *of);

#endif
