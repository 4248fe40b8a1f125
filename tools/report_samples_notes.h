/* SPDX-License-Identifier: MIT */
/* The lines above and below the table of samples. */
#ifndef SELFMON_TOOLS_REPORT_SAMPLES_NOTES_H
#define SELFMON_TOOLS_REPORT_SAMPLES_NOTES_H

#include "symbols.h"

struct selfmon_text;

void report_samples_head(struct selfmon_text *text);

/*
 * Writes the lines below the table. unknown is the number of samples without a
 * symbol, by index of the module + 1.
 */
void report_samples_notes(struct selfmon_text *text,
			  const struct symbols *symbols,
			  const uint64_t *unknown);

#endif
