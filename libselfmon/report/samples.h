/* SPDX-License-Identifier: MIT */
/*
 * The samples of a report: call stacks by row. Only the program selfmon looks
 * up addresses in symbol tables.
 */
#ifndef SELFMON_REPORT_SAMPLES_H
#define SELFMON_REPORT_SAMPLES_H

#include <selfmon/report.h>

/* A file with code that was mapped when the report was taken. */
struct selfmon_sampled_module {
	char *path;     /* "[vdso]" for the kernel's */
	char *build_id; /* hexadecimal; "": none */
};

struct selfmon_sampled_stack {
	int32_t row; /* -1: outside of all regions */
	uint32_t depth;
	uint64_t count, label;
	uint64_t data, data_end; /* lowest and highest */
	struct selfmon_address *address;
};

struct selfmon_samples {
	char event[SELFMON_EVENT_NAME_SIZE]; /* "task-clock", "cycles" */
	uint64_t period;    /* events (ns for a clock) from one sample to the
			     * next; 0: see frequency */
	uint64_t asked; /* the requested period if it was lengthened; else 0 */
	/* Number of samples per second that the kernel aims at; else 0. */
	uint32_t frequency;
	uint32_t chain;	    /* the largest number of addresses in a stack */
	double cost_ns; /* cost of one sample, subtracted from visits' times */
	uint64_t taken;	    /* samples, of all threads */
	uint64_t outside;   /* samples taken outside of all regions */
	uint64_t lost;	    /* samples lost because a ring was full */
	/* Threads that lost an unknown number of further samples. */
	uint64_t lost_more;
	uint64_t unstored;  /* samples without a stack, for lack of memory */
	size_t modules;
	struct selfmon_sampled_module *module;
	size_t stacks;
	struct selfmon_sampled_stack *stack; /* by row, then falling count */
	size_t addresses;
	struct selfmon_address *address; /* of all stacks */
};

/* Returns true if the period is in ns of CPU time. */
bool selfmon_samples_of_clock(const struct selfmon_samples *samples);
/* Accepts NULL. */
void selfmon_samples_free(struct selfmon_samples *samples);
/* Puts the stacks into the order that selfmon_row_stack() needs. */
void selfmon_samples_sort(struct selfmon_samples *samples);

#endif
