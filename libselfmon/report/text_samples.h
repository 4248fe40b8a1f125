/* SPDX-License-Identifier: MIT */
/* The table of samples. */
#ifndef SELFMON_REPORT_TEXT_SAMPLES_H
#define SELFMON_REPORT_TEXT_SAMPLES_H

#include "report/text.h"

/* Prints nothing if the process was not sampled. */
void selfmon_text_samples(struct selfmon_text *text);

#endif
