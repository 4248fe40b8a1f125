/* SPDX-License-Identifier: MIT */
/* The operations that a part measures. */
#ifndef BENCH_STATES_CANDIDATE_H
#define BENCH_STATES_CANDIDATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define NOINLINE __attribute__((noinline))

struct candidate {
	const char *what; /* name of the row; "": only a divisor, has no row */
	void (*loop)(uint64_t n); /* n is a multiple of `unit` */
	uint64_t unit;
	uint64_t each;		/* operations per unit of n */
	/*
	 * The ratio divides this candidate's time by that of the first
	 * candidate, which the output calls by this name. NULL: no ratio.
	 */
	const char *against;
	bool (*is_there)(void); /* NULL: the candidate always exists */
	const char *missing;	/* reason if it does not exist */
};

/* Each array ends with an empty candidate. */
extern const struct candidate candidates_time[], candidates_off[], candidates_recorded[],
	candidates_traced[], candidates_fibers[], candidates_software[],
	candidates_hardware_set[], candidates_hardware[], candidates_tracy[];

/* Visits that the report must contain. */
extern uint64_t candidate_visits;

/* Set up a part before its first loop. */
void prepare_time(void);
void prepare_off(void);
void prepare_recorded(void);
void prepare_traced(void);
void prepare_fibers(void);
void prepare_software(void);
void prepare_hardware_set(void);
void prepare_hardware(void);
void prepare_tracy(void);
void prepare_tracy_in_situ(void);

/*
 * Measures each kind of work in three ways: alone, with the bare floor (two
 * timestamps and a stored sum), and with a region around each visit. Writes ns
 * per visit of the work alone, and what the other two added. Each result has
 * IN_SITU_KINDS columns.
 */
#define IN_SITU_KINDS 9
void prepare_in_situ(void);
void in_situ_measure(double *plain, double *floor_added, double *region_added);

#endif
