/* SPDX-License-Identifier: MIT */
#include "trace_label.h"

#include <stdio.h>

static const char *suffix_of(enum trace_kind kind)
{
	switch (kind) {
	case TRACE_OFF_CPU: return ", off the CPU";
	case TRACE_GAPS: return ", visits missing";
	case TRACE_FRAMES: return ", frames";
	case TRACE_BETWEEN: return ", not recorded";
	case TRACE_LONGER: return ", longer than the limit";
	default: return "";
	}
}

const char *trace_label(const struct trace *trace,
			const struct trace_track *track, uint32_t lane,
			char label[TRACE_LABEL_SIZE])
{
	const char *const name = trace_thread_name(trace, track->id);
	char number[16] = "";

	if (lane)
		snprintf(number, sizeof(number), " (%u)", lane + 1);
	if (track->kind == TRACE_SPANS)
		snprintf(label, TRACE_LABEL_SIZE, "detached spans%s", number);
	else if (track->kind == TRACE_FIBER)
		snprintf(label, TRACE_LABEL_SIZE, "fiber %llu%s",
			 (unsigned long long)track->id, number);
	else
		snprintf(label, TRACE_LABEL_SIZE, "%s %llu%s%s",
			 *name ? name : "thread",
			 (unsigned long long)track->id,
			 suffix_of(track->kind), number);
	return label;
}

double trace_rate(const struct trace_visit *visit, uint64_t count)
{
	const uint64_t ns = visit->end - visit->begin;

	return ns ? 1000. * (double)count / (double)ns : 0;
}

bool trace_count(const struct trace *trace, const struct trace_visit *visit,
		 size_t column, uint64_t *value)
{
	const uint64_t *const count = &trace->count[visit->counts];
	size_t i, n = 1;

	if (!visit->counts || !(*count & UINT64_C(1) << column))
		return false;
	for (i = 0; i < column; i++)
		n += *count >> i & 1;
	*value = count[n];
	return true;
}
