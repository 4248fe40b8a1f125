/* SPDX-License-Identifier: MIT */
/*
 * The bench measures the library's cost and, in the same run, the cost of the
 * bare operations that the library consists of. Nothing here asserts times.
 *
 * Each case is a process of its own, since a process sets its events once. The
 * operations of a case alternate, so that changes of the machine's speed affect
 * all of them.
 */
#ifndef SELFMON_BENCH_H
#define SELFMON_BENCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
#define _Noreturn [[noreturn]]
extern "C" {
#endif

#define BENCH_ROUNDS_MAX 1001

/* The value of a row that is compared with the budget. */
enum bench_judge {
	BENCH_INFORM = 0, /* none: for information */
	BENCH_MEDIAN,
	BENCH_RATIO
};

struct bench_row {
	char what[64];
	char state[8];        /* state of the machine during the row; "": any */
	char note[112];       /* instead of figures; "": none */
	char unit[8];
	/* Name of the row by which ratio divides; "" if there is none. */
	char against[24];
	double median, low, high; /* low and high: p10 and p90 */
	double min;
	double ratio;         /* median of the rounds' ratios */
	double budget;
	enum bench_judge judge;
};

/* How much is measured. */
struct bench_effort {
	unsigned int rounds;
	/* Number of visits in one round of an operation that takes a few ns. */
	uint64_t visits;
	unsigned int threads;
};

extern struct bench_effort bench_effort;

/* ---- measure.c ----------------------------------------------------------- */

/* Runs the operation n times, or n * each times if `each` is not 0. */
typedef void (*bench_loop_fn)(uint64_t n);

struct bench_operation {
	const char *what;
	bench_loop_fn loop;
	uint64_t n;            /* argument of loop() in each round */
	uint64_t each;         /* operations per unit of n; 0 means 1 */
	int against;           /* index of the operation by which ratio
			        * divides; -1: none */
	const char *against_name;
	double budget;
	enum bench_judge judge;
	double sample[BENCH_ROUNDS_MAX]; /* ns per operation */
};

/* Warms up, measures all operations alternately and emits a row for each. */
void bench_measure(struct bench_operation *operation, size_t count);

uint64_t bench_now_ns(void);

/* Makes the compiler compute a value although it is not used. */
#define bench_keep(value) __asm__ __volatile__("" : : "r"(value) : "memory")

/* ---- summary.c ----------------------------------------------------------- */

/*
 * Writes the median, p10, p90 and minimum of samples, which it sorts, into a
 * row.
 */
void bench_summary(double *sample, size_t count, struct bench_row *row);

/* ---- output.c ------------------------------------------------------------ */

/* Sends a row from a case to the driver. */
void bench_emit(const struct bench_row *row);

void bench_print_machine(bool json);
void bench_print_row(const struct bench_row *row, bool json);
void bench_print_end(bool json);

/* ---- common.c ------------------------------------------------------------ */

/*
 * Ends the case and the bench with a failure, because a count was wrong. Times
 * never fail.
 */
_Noreturn void bench_fail(const char *format, ...)
	__attribute__((format(printf, 1, 2)));

/* Ends the case without failure: a peer does not work here. */
_Noreturn void bench_refused(const char *format, ...)
	__attribute__((format(printf, 1, 2)));

/*
 * Sets the events of this process's regions; NULL or "none" measures only time.
 */
void bench_configure(const char *events);
/* Configures regions that measure only time and keep their slowest visits. */
void bench_configure_recorded(void);
/*
 * Configures regions that measure only time, and a trace that keeps what
 * happened before slow visits.
 */
void bench_configure_traced(void);

/*
 * Call it first in a program: sets how much is measured, and clears the
 * environment.
 */
void bench_prepare(bool is_quick);

void bench_pin(void);

/* ---- the cases ----------------------------------------------------------- */

#define BENCH_SOFTWARE "page-faults,minor-faults,major-faults,task-clock"
#define BENCH_SOFTWARE_COUNT 4

void bench_case_time(void);     /* region.c */
void bench_case_nested(void);   /* nested.c */
void bench_case_off(void);      /* off.c */
void bench_case_off_start(void);
void bench_case_software(void); /* software.c */
void bench_case_read(void);     /* read.c */
void bench_case_threads(void);  /* threads.c: threads that measure only time */
void bench_case_threads_software(void);
void bench_case_memory(void);   /* memory.c */
void bench_case_nesting(void);  /* nesting.c */
void bench_case_parallel(void); /* parallel.c */
void bench_case_events_0(void); /* variants.c */
void bench_case_events_1(void);
void bench_case_events_2(void);
void bench_case_events_3(void);
void bench_case_events_4(void);
void bench_case_events_5(void);
void bench_case_events_6(void);
void bench_case_events_7(void);
void bench_case_events_8(void);
void bench_case_guard(void);
void bench_case_live(void);
void bench_case_every(void);
void bench_case_every_time(void);
void bench_case_fence(void);

/* ---- bare.c: the operations that others are compared with ---------------- */

void bench_bare_empty(uint64_t n);
void bench_bare_timestamps(uint64_t n);
void bench_bare_gettime(uint64_t n);
#ifdef __x86_64__
bool bench_bare_has_rdtscp(void);
void bench_bare_rdtscp(uint64_t n);
void bench_bare_lfence_rdtsc(uint64_t n);
#endif
/*
 * Without a library: opens a group of the events in BENCH_SOFTWARE, and makes n
 * pairs of reads of this group.
 */
void bench_bare_group_open(void);
void bench_bare_group_reads(uint64_t n);

/* In compiled_out.c: a loop with a region, compiled with SELFMON_DISABLE. */
void bench_compiled_out(uint64_t n);

#ifdef __cplusplus
}
#endif

#endif
