/* SPDX-License-Identifier: MIT */
/* Names of tracks, and the values of a visit's counts. */
#ifndef SELFMON_TOOLS_TRACE_LABEL_H
#define SELFMON_TOOLS_TRACE_LABEL_H

#include "trace_model.h"

#define TRACE_LABEL_SIZE 128
/* Writes the name of a lane of a track. Returns label. */
const char *trace_label(const struct trace *trace,
			const struct trace_track *track, uint32_t lane,
			char label[TRACE_LABEL_SIZE]);

/* Returns the rate of a count: events per microsecond of the visit. */
double trace_rate(const struct trace_visit *visit, uint64_t count);

/* Finds a visit's value of a column. Returns false if the visit has none. */
bool trace_count(const struct trace *trace, const struct trace_visit *visit,
		 size_t column, uint64_t *value);

#endif
