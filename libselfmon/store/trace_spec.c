/* SPDX-License-Identifier: MIT */
/* Parses SELFMON_TRACE. A file's name may contain commas. */
#include "store/trace_spec.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RING ",ring="
#define REGIONS ",regions="

/* Returns 0 if the text is not a size, or beyond what is allowed. */
static size_t parse_ring(const char *text, size_t length)
{
	char *end;
	unsigned long long n;
	size_t ring = SELFMON_TRACE_RING_MIN;
	unsigned int shift = 0;

	if (*text < '0' || *text > '9')
		return 0;
	n = strtoull(text, &end, 10);
	switch (end < text + length ? *end : '\0') {
	case 'k': case 'K': shift = 10; break;
	case 'm': case 'M': shift = 20; break;
	case 'g': case 'G': shift = 30; break;
	}
	if (end + !!shift != text + length || n > SELFMON_TRACE_RING_MAX >> shift ||
	    n << shift < SELFMON_TRACE_RING_MIN)
		return 0;
	while (ring < n << shift)
		ring *= 2;
	return ring;
}

int selfmon_trace_spec_parse(const char *text, struct selfmon_trace_spec *spec,
			     char *why, size_t size)
{
	const char *const regions = strstr(text, REGIONS);
	const char *const end = regions ? regions : text + strlen(text);
	const char *ring = strstr(text, RING);

	if (ring && ring > end)
		ring = NULL;
	*spec = (struct selfmon_trace_spec){
		.file_length = (size_t)((ring ? ring : end) - text),
		.ring = SELFMON_TRACE_RING,
		.regions = regions ? regions + strlen(REGIONS) : NULL,
	};
	if (!spec->file_length) {
		snprintf(why, size, "a file is missing before the options");
		return -EINVAL;
	}
	if (!ring)
		return 0;
	ring += strlen(RING);
	spec->ring = parse_ring(ring, (size_t)(end - ring));
	if (spec->ring)
		return 0;
	snprintf(why, size, "ring=%.*s: 64k to 1g are allowed, such as 16m",
		 (int)(end - ring), ring);
	return -EINVAL;
}
