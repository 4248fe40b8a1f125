/* SPDX-License-Identifier: MIT */
/*
 * The samples of a report: call stacks by row. Addresses are looked up in
 * symbol tables by the program selfmon only.
 */
#ifndef SELFMON_REPORT_SAMPLES_H
#define SELFMON_REPORT_SAMPLES_H

#include <selfmon/report.h>

/* A file whose code was mapped when the report was taken. */
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
	uint64_t period;    /* events from one sample to the next; ns for a
			       clock; 0: see frequency */
	uint64_t asked;	    /* that period as requested, if it was lengthened;
			       else 0 */
	uint32_t frequency; /* samples a second that the kernel aims at; else 0 */
	uint32_t chain;	    /* most addresses of a stack */
	double cost_ns;	    /* of one sample, subtracted from visits' times */
	uint64_t taken;	    /* samples, of all threads */
	uint64_t outside;   /* of these, outside of all regions */
	uint64_t lost;	    /* not taken: a ring was full */
	uint64_t lost_more; /* threads that lost more, of an unknown number */
	uint64_t unstored;  /* taken without a stack: no memory */
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
/* Puts stacks in their order, for selfmon_row_stack(). */
void selfmon_samples_sort(struct selfmon_samples *samples);

#endif
