/* SPDX-License-Identifier: MIT */
/* The operations that a part measures. */
#ifndef BENCH_STATES_CANDIDATE_H
#define BENCH_STATES_CANDIDATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define NOINLINE __attribute__((noinline))

struct candidate {
	const char *what;         /* "": only to divide by, no row */
	void (*loop)(uint64_t n); /* n is a multiple of `unit` */
	uint64_t unit;
	uint64_t each;		/* operations in one of n */
	const char *against;	/* name of the first candidate; NULL: none */
	bool (*is_there)(void); /* NULL: always */
	const char *missing;	/* reason if it is not */
};

/* Each ends with an empty candidate. */
extern const struct candidate candidates_time[], candidates_off[],
	candidates_fibers[], candidates_software[], candidates_hardware_set[],
	candidates_hardware[], candidates_tracy[];

/* Visits that the report must contain. */
extern uint64_t candidate_visits;

/* What a part does before its first loop. */
void prepare_time(void);
void prepare_off(void);
void prepare_fibers(void);
void prepare_software(void);
void prepare_hardware_set(void);
void prepare_hardware(void);
void prepare_tracy(void);
void prepare_tracy_in_situ(void);

/*
 * Measures kinds of work bare, with a bare floor and with a region around each
 * visit. Writes ns a visit of the work alone and what the other two added,
 * IN_SITU_KINDS columns each.
 */
#define IN_SITU_KINDS 9
void prepare_in_situ(void);
void in_situ_measure(double *plain, double *floor_added, double *region_added);

#endif
