/* SPDX-License-Identifier: MIT */
/* The configuration: the program's options, overridden by the environment. */
#ifndef SELFMON_STORE_CONFIG_H
#define SELFMON_STORE_CONFIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <selfmon/error.h>
#include <selfmon/options.h>

#define SELFMON_NOTES_MAX 8
#define SELFMON_SPEC_MAX 4096
#define SELFMON_OUTPUT_MAX 4096

/*
 * A forked child has the same configuration: it is in memory that fork()
 * copies.
 */
struct selfmon_config {
	const char *events; /* less than SELFMON_SPEC_MAX bytes */
	const char *output; /* shorter than SELFMON_OUTPUT_MAX; "": none */
	/* Shorter than SELFMON_OUTPUT_MAX; "": no live file. */
	const char *live;
	/* Shorter than SELFMON_OUTPUT_MAX; "": no samples. */
	const char *sample;
	/* Shorter than SELFMON_OUTPUT_MAX; "": no trace. */
	const char *trace;
	bool enable;
	bool fence;
	bool strict;
	bool guard;
	bool threads;       /* an output in the list has the option "threads" */
	/* The list of events had @offcpu, and each visit is measured. */
	bool off_cpu;
	bool record;        /* keep the slowest visits of each region */
	bool traced;        /* a trace is written; false in a forked child */
	bool watch_quantile; /* longer=pN of SELFMON_TRACE */
	bool watch_regions;  /* regions= of SELFMON_TRACE */
	uint64_t watch_ns;    /* longer=TIME of SELFMON_TRACE; 0: none */
	uint64_t watch_ticks; /* the same in ticks */
	selfmon_longer_fn longer; /* called for visits longer than longer_ns */
	void *longer_context;
	uint64_t longer_ns; /* 0: use the trace's limit */
	uint64_t longer_ticks;
	uint32_t every;
	selfmon_message_fn message;
	void *context;
	size_t notes;   /* number of stored messages, which reports show */
	char (*note)[SELFMON_MESSAGE_SIZE]; /* SELFMON_NOTES_MAX elements */
};

/* How often selfmon_enable() switched regions off. */
extern uint32_t selfmon_config_offs;

struct selfmon_config *selfmon_config(void);
void selfmon_config_note(const char *format, ...)
	__attribute__((format(printf, 1, 2)));
void selfmon_config_environment(void);
/*
 * Call before any state is made. Reads only SELFMON_ENABLE. If the variable is
 * 0, switches regions off and returns true. The caller then makes no state, so
 * the library does no other work in the process. Otherwise changes nothing and
 * returns false, also if an earlier call returned true or the environment has
 * been applied.
 */
bool selfmon_config_switches_off(void);
/*
 * Applies the options of selfmon_configure(3), then the environment. The caller
 * holds the process lock. Returns 0. After an error returns -EINVAL and changes
 * nothing.
 */
int selfmon_config_take(const struct selfmon_options *options);

#endif
