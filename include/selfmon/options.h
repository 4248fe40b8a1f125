/* SPDX-License-Identifier: MIT */
/*
 * Options of regions, set by the program or by environment variables:
 *
 *   SELFMON_EVENTS  auto (default), none, or a list as in event.h
 *   SELFMON_OUTPUT  text:- (default: standard error), text:FILE, json:FILE,
 *                   csv:FILE; none or an empty value: no report; several are
 *                   separated by commas; %p in FILE is the process id; with
 *                   children=yes, forked children report even if the name has
 *                   no %p; text:FILE;flat;top=20 selects rows: docs/REPORT.md
 *   SELFMON_ENABLE  1 (default), 0
 *   SELFMON_FENCE   none (default), lfence: fenced timestamps
 *   SELFMON_EVERY   measure one visit in N, 1 (default) to 1000000
 *   SELFMON_STRICT  0 (default), 1: all events or none, nothing scaled
 *   SELFMON_GUARD   0 (default), 1: install a signal handler, so that losing
 *                   counter access does not kill the program; see counters.h,
 *                   selfmon_guard_check()
 *   SELFMON_LIVE    FILE: keep statistics up to date in FILE, which outlives
 *                   the process; see selfmon_report_open(). %p in FILE is the
 *                   process id; without %p, forked children have no live file
 *   SELFMON_SAMPLE  none (default), auto, or EVENT[@PERIOD]: where in a region
 *                   the time goes; docs/REPORT.md. Options follow with commas:
 *                   chain=N addresses of a call stack, 1 to 127 (default 32);
 *                   ring=SIZE of each thread's buffer, 4k to 1024k (64k),
 *                   for pages of 4 KiB: larger pages make it larger;
 *                   drain=thread (default): a thread of the library empties the
 *                   buffers; drain=border: visits empty them when they end
 *   SELFMON_RECORD  none (default), slowest: keep the 8 slowest visits of each
 *                   region, with what happened inside; docs/REPORT.md
 *
 *   SELFMON_TRACE   none (default), or FILE: each visit with its time, for
 *                   selfmon trace(1). %p in FILE is the process id. Options
 *                   follow with commas: ring=SIZE of each thread's buffer, 64k
 *                   to 1g (4m); longer=16ms or longer=p99.9: write only what a
 *                   thread did before the end of a visit that exceeded this
 *                   limit; with longer=, size=SIZE: maximum size of the file,
 *                   1m to 1024g (1g); regions=REGEX, which must be the last
 *                   option: write only regions whose name matches this extended
 *                   regular expression, or with longer=, let only these regions
 *                   trigger; docs/TRACE.md
 *
 * The environment overrides the program, since the person who runs the program
 * sets it. Variables are read with secure_getenv(3), so they are ignored in
 * setuid programs. For an unknown variable or value, a message goes to the
 * program's message function, or else into the report, and the library
 * continues.
 */
#include "compiler.h"
#if defined(SELFMON_DISABLE) && !defined(SELFMON_H)
#include "../selfmon.h"
#endif
#ifndef SELFMON_OPTIONS_H
#define SELFMON_OPTIONS_H


SELFMON_C_BEGIN

/*
 * Receives a message: one line of text without a newline. See
 * selfmon_configure().
 */
typedef void (*selfmon_message_fn)(const char *message, void *context);

/* A visit, or a detached span, that lasted longer than its limit. */
struct selfmon_longer {
	size_t size;	     /* size of this struct in the loaded library */
	const char *name;    /* the region's name; all strings stay valid */
	const char *file;    /* "" if the region has none */
	uint32_t line;
	uint32_t thread;     /* kernel's id of the thread at its end */
	uint64_t ns;	     /* duration of the visit */
	uint64_t limit_ns;
	uint64_t begin, end; /* as selfmon_clock_ticks() */
};

/*
 * Called for a visit that lasted longer than its limit, after the visit is
 * recorded. Runs in the thread in which the visit ended, with no lock held. If
 * the visit ended in a signal handler, runs in this handler. May use regions:
 * their visits are measured, but the library does not call the function for
 * them. Must return. See selfmon_configure().
 */
typedef void (*selfmon_longer_fn)(const struct selfmon_longer *visit,
				  void *context);

struct selfmon_options {
	size_t size;         /* set by the caller: sizeof of this struct */
	const char *events;  /* like SELFMON_EVENTS; NULL: "auto" */
	const char *output;  /* like SELFMON_OUTPUT; NULL: no report at exit */
	bool enable;
	bool fence;
	bool strict;
	uint32_t every;
	/* If NULL, messages are part of the report at exit. */
	selfmon_message_fn message;
	void *context;
	bool guard;
	const char *live;    /* as SELFMON_LIVE; NULL: no file */
	const char *sample;  /* as SELFMON_SAMPLE; NULL: none */
	const char *record;  /* as SELFMON_RECORD; NULL: none */
	const char *trace;   /* as SELFMON_TRACE; NULL: none */
	/*
	 * Called for visits longer than longer_ns, which is 100 ns to 100 s. If
	 * longer_ns is 0, called for visits that trigger the trace (longer= of
	 * SELFMON_TRACE). NULL: no function is called.
	 */
	selfmon_longer_fn longer;
	void *longer_context;
	uint64_t longer_ns;
};

/* The defaults of all options. */
#define SELFMON_OPTIONS_INIT                                                   \
	{                                                                      \
		sizeof(struct selfmon_options), "auto", "text:-", true, false, \
			false, 1, NULL, NULL, false, NULL, NULL, NULL, NULL,   \
			NULL, NULL, 0                                          \
	}

/*
 * Sets the options; call it before the first visit of any region. Strings are
 * copied. Returns 0, or, with nothing set,
 *   -EINVAL  options is NULL, size is too small, every or longer_ns is out of
 *            range, or a string is longer than 4095 bytes
 *   -EBUSY   too late, after the first visit, detached span or report, or
 *            after one of the prepare functions below
 *   -ENOMEM  no memory for the state of the process
 * Thread-safe; not async-signal-safe. The message function is called before
 * this function returns, with a lock held: it must not use the library.
 */
SELFMON_API int selfmon_configure(const struct selfmon_options *options);

/*
 * Returns the version of the loaded library, such as "0.2.0". SELFMON_VERSION
 * in version.h is the version of the headers with which the program was
 * compiled. Thread-safe and async-signal-safe.
 */
SELFMON_API const char *selfmon_version(void);

/*
 * Switches all regions on or off. Returns true if they were on before. Visits
 * that are open are measured to their end. Thread-safe and async-signal-safe.
 */
SELFMON_API bool selfmon_enable(bool on);

/*
 * Does the work of the first visit in the process in advance: reads the
 * environment, opens the first event (which takes milliseconds on some
 * machines), and decides which events `auto` means: those that the calling
 * thread can count. Also prepares the calling thread. Returns 0, -ENOMEM, or
 * -ENOSYS (regions are switched off). Thread-safe; not async-signal-safe.
 */
SELFMON_API int selfmon_prepare(void);

/*
 * Prepares the calling thread: creates its state and opens its counters.
 * Returns 0, -ENOMEM, or -ENOSYS (regions are switched off). Events that cannot
 * be counted are no error; the report lists them. Thread-safe; not
 * async-signal-safe.
 */
SELFMON_API int selfmon_thread_prepare(void);

SELFMON_C_END

#endif
