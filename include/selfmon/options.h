/* SPDX-License-Identifier: MIT */
/*
 * What a program may set of its regions, and what the environment may:
 *
 *   SELFMON_EVENTS  auto (default), none, or a list as in event.h
 *   SELFMON_OUTPUT  text:- (default: standard error), text:FILE, json:FILE,
 *                   csv:FILE, none or nothing; several separated by commas;
 *                   %p in FILE is the process id; children=yes: forked
 *                   children report to names without %p too;
 *                   text:FILE;flat;top=20 chooses rows: docs/REPORT.md
 *   SELFMON_ENABLE  1 (default), 0
 *   SELFMON_FENCE   none (default), lfence
 *   SELFMON_EVERY   measure one visit in N, 1 (default) to 1000000
 *   SELFMON_STRICT  0 (default), 1: all events or none, nothing scaled
 *   SELFMON_GUARD   0 (default), 1: a signal handler keeps counter reads that
 *                   are taken away from killing the program; see counters.h,
 *                   selfmon_guard_check()
 *   SELFMON_LIVE    FILE: statistics are kept in it as they come about, and
 *                   outlive the process; see selfmon_report_open(). %p in it
 *                   is the process id: without, forked children have none
 *
 * The environment wins over the program: it is nearer to the one who runs
 * it. Read through secure_getenv(3): not in a setuid program. A variable or
 * value that is not known is named in a message, and the program goes on.
 */
#include "compiler.h"
#if defined(SELFMON_DISABLE) && !defined(SELFMON_H)
#include "../selfmon.h"
#endif
#ifndef SELFMON_OPTIONS_H
#define SELFMON_OPTIONS_H


SELFMON_C_BEGIN

/* Called with a whole line, without a newline. See selfmon_configure(). */
typedef void (*selfmon_message_fn)(const char *message, void *context);

struct selfmon_options {
	size_t size;         /* sizeof of this struct, by the caller */
	const char *events;  /* as SELFMON_EVENTS; NULL: "auto" */
	const char *output;  /* as SELFMON_OUTPUT; NULL: no report at exit */
	bool enable;
	bool fence;
	bool strict;
	uint32_t every;
	selfmon_message_fn message; /* NULL: messages go to the exit report */
	void *context;
	bool guard;
	const char *live;    /* as SELFMON_LIVE; NULL: no file */
};

/* The defaults, as if nothing had been set. */
#define SELFMON_OPTIONS_INIT                                                   \
	{                                                                      \
		sizeof(struct selfmon_options), "auto", "text:-", true, false, \
			false, 1, NULL, NULL, false, NULL                      \
	}

/*
 * Sets the options, before the first visit of any region. Strings are copied.
 * Returns 0, or, with nothing set,
 *   -EINVAL  options is NULL, size too small, every out of range, or a string
 *            longer than 4095 bytes
 *   -EBUSY   what is counted was decided already: by a visit, by one of the
 *            prepare functions below, or by the first report
 *   -ENOMEM  no memory for the state of the process
 * Thread-safe; not async-signal-safe. The message function is called before
 * this returns, with a lock held: it must not use the library.
 */
SELFMON_API int selfmon_configure(const struct selfmon_options *options);

/*
 * Switches all regions on or off; returns what it was. Visits that are open
 * go on to their end. Thread-safe and async-signal-safe.
 */
SELFMON_API bool selfmon_enable(bool on);

/*
 * Pays what the first visit of the process would pay: reads the environment,
 * opens the process's first event (milliseconds on some machines) and decides
 * what `auto` events are, by those of the calling thread, which is prepared
 * too. 0, -ENOMEM, or -ENOSYS (regions are switched off). Thread-safe; not
 * async-signal-safe.
 */
SELFMON_API int selfmon_prepare(void);

/*
 * The same for the calling thread: its state and its counters. 0, -ENOMEM, or
 * -ENOSYS (regions are switched off). Events that cannot be counted are no
 * error; the report has them. Thread-safe; not async-signal-safe.
 */
SELFMON_API int selfmon_thread_prepare(void);

SELFMON_C_END

#endif
