/* SPDX-License-Identifier: MIT */
/*
 * A parsed SELFMON_TRACE:
 * FILE[,ring=SIZE][,longer=TIME|pN][,size=SIZE][,regions=REGEX].
 */
#ifndef SELFMON_STORE_TRACE_SPEC_H
#define SELFMON_STORE_TRACE_SPEC_H

#include <stddef.h>
#include <stdint.h>

/* Minimum, maximum and default size of each thread's ring, in bytes. */
#define SELFMON_TRACE_RING_MIN ((size_t)64 << 10)
#define SELFMON_TRACE_RING_MAX ((size_t)1 << 30)
#define SELFMON_TRACE_RING ((size_t)4 << 20)
/* Minimum, maximum and default size of the file of a trace with longer=. */
#define SELFMON_TRACE_SIZE_MIN (UINT64_C(1) << 20)
#define SELFMON_TRACE_SIZE_MAX (UINT64_C(1) << 40)
#define SELFMON_TRACE_SIZE (UINT64_C(1) << 30)
/* Minimum and maximum of longer=, in ns. */
#define SELFMON_TRACE_LONGER_MIN UINT64_C(100)
#define SELFMON_TRACE_LONGER_MAX UINT64_C(100000000000)

struct selfmon_trace_spec {
	/* Length of the file name, which is the start of the text. */
	size_t file_length;
	size_t ring;	    /* bytes, a power of two */
	/*
	 * A trace with longer= contains only bursts. A burst ends with a visit
	 * that lasted longer than longer_ns, or longer than the percentile that
	 * above_ppm defines. If both are 0, all entries are written.
	 */
	uint64_t longer_ns;
	uint32_t above_ppm; /* share of visits above the percentile */
	uint64_t size;	    /* maximum size of the file, with longer= */
	const char *regions; /* end of the text: a regular expression, or NULL */
};

/*
 * Parses a text that is not empty. Returns 0, or -EINVAL with a message in
 * `why`: what is wrong, and what is allowed.
 */
int selfmon_trace_spec_parse(const char *text, struct selfmon_trace_spec *spec,
			     char *why, size_t size);

#endif
