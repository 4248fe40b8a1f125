/* SPDX-License-Identifier: MIT */
/*
 * Error reporting. Functions return 0 or a count, or -errno on failure.
 * Functions that open something also fill in a struct selfmon_failure, which
 * selfmon_explain() turns into a sentence and a remedy.
 */
#ifndef SELFMON_ERROR_H
#define SELFMON_ERROR_H

#include "compiler.h"

SELFMON_C_BEGIN

#define SELFMON_EVENT_NAME_SIZE 128
#define SELFMON_MESSAGE_SIZE 256

/* The step that failed. */
enum selfmon_step {
	SELFMON_STEP_NONE = 0,  /* nothing failed */
	SELFMON_STEP_PARSE,     /* parsing the specification; see message */
	SELFMON_STEP_OPEN,      /* perf_event_open(2) */
	SELFMON_STEP_MAP,       /* mmap(2) of the event's page */
	SELFMON_STEP_READ,      /* read(2) of the counts */
	SELFMON_STEP_ENABLE,    /* ioctl(2) PERF_EVENT_IOC_ENABLE */
	/* The library refused; message has the reason. */
	SELFMON_STEP_POLICY,
	/* Reading a file; position is an offset in the file. */
	SELFMON_STEP_FILE
};

struct selfmon_failure {
	int error;               /* errno, positive; 0: none */
	enum selfmon_step step;
	/* Byte offset of the error in the specification, or in the file. */
	size_t position;
	/* :k was given, or the event occurs only in kernel mode. */
	bool kernel_asked;
	bool grouped;            /* opened as a member of a group */
	/*
	 * The event's name, and a complete sentence; both may be "". Both are
	 * safe to print: bytes that could control a terminal are written as
	 * \xNN.
	 */
	char event[SELFMON_EVENT_NAME_SIZE];
	char message[SELFMON_MESSAGE_SIZE];
};

#ifndef SELFMON_DISABLE
/*
 * Private; for headers that print. Copy a text, escaped for a terminal, or for
 * JSON without quotes. The copy is truncated to size bytes, including the final
 * 0. Return the length of the copy.
 */
SELFMON_API size_t selfmon_impl_escape_text(char *to, size_t size,
					    const char *from);
SELFMON_API size_t selfmon_impl_escape_json(char *to, size_t size,
					    const char *from);
#endif

SELFMON_C_END

#endif
