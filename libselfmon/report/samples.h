/* SPDX-License-Identifier: MIT */
/*
 * The samples of a report: call stacks by row. Addresses are not converted to
 * names here; only the program selfmon reads symbol tables.
 */
#ifndef SELFMON_REPORT_SAMPLES_H
#define SELFMON_REPORT_SAMPLES_H

#include <selfmon/report.h>

/* A file whose code was mapped when the report was taken. */
struct selfmon_sampled_module {
	char *path;     /* "[vdso]" for the vDSO */
	char *build_id; /* in hexadecimal; "" if there is none */
};

struct selfmon_sampled_stack {
	int32_t row; /* -1: outside of all regions */
	uint32_t depth;
	uint64_t count, label;
	uint64_t data, data_end; /* lowest and highest address accessed */
	struct selfmon_address *address;
};

struct selfmon_samples {
	char event[SELFMON_EVENT_NAME_SIZE]; /* "task-clock", "cycles" */
	/* Events (ns for a clock) between samples; 0: see frequency. */
	uint64_t period;
	/*
	 * The requested period or frequency, if samples are taken less often;
	 * else 0.
	 */
	uint64_t asked;
	/*
	 * Number of samples per second that the kernel tries to reach; else 0.
	 */
	uint32_t frequency;
	uint32_t chain;	    /* maximum number of addresses in a stack */
	double cost_ns; /* cost of one sample, subtracted from visits' times */
	uint64_t taken;	    /* number of samples, of all threads */
	uint64_t outside;   /* samples taken outside of all regions */
	/*
	 * Samples without a stack, because a ring was full. `taken` usually
	 * includes them. If the ring also has context switches, `taken` does
	 * not include them, and `lost` includes lost switches.
	 */
	uint64_t lost;
	/* Number of threads that also lost an unknown number of samples. */
	uint64_t lost_more;
	/* Samples stored without a stack, for lack of memory. */
	uint64_t unstored;
	size_t modules;
	struct selfmon_sampled_module *module;
	size_t stacks;
	/* Sorted by row, then by descending count. */
	struct selfmon_sampled_stack *stack;
	size_t addresses;
	struct selfmon_address *address; /* of all stacks */
};

/* Returns true if the period is in ns of CPU time. */
bool selfmon_samples_of_clock(const struct selfmon_samples *samples);
/* Accepts NULL. */
void selfmon_samples_free(struct selfmon_samples *samples);
/* Sorts the stacks as selfmon_row_stack() needs them. */
void selfmon_samples_sort(struct selfmon_samples *samples);

#endif
