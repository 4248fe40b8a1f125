/* SPDX-License-Identifier: MIT */
/* A parsed SELFMON_TRACE: FILE[,ring=SIZE][,regions=REGEX]. */
#ifndef SELFMON_STORE_TRACE_SPEC_H
#define SELFMON_STORE_TRACE_SPEC_H

#include <stddef.h>

/* Of each thread's ring, in bytes: at most, at least, if not given. */
#define SELFMON_TRACE_RING_MIN ((size_t)64 << 10)
#define SELFMON_TRACE_RING_MAX ((size_t)1 << 30)
#define SELFMON_TRACE_RING ((size_t)4 << 20)

struct selfmon_trace_spec {
	size_t file_length; /* the text begins with the file's name */
	size_t ring;	    /* bytes, a power of two */
	const char *regions; /* end of the text: a regular expression, or NULL */
};

/*
 * Parses a text that is not empty. Returns 0, or -EINVAL with what is wrong,
 * and what is allowed, in why.
 */
int selfmon_trace_spec_parse(const char *text, struct selfmon_trace_spec *spec,
			     char *why, size_t size);

#endif
