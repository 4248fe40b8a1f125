/* SPDX-License-Identifier: MIT */
/* The table of frames of a text report. */
#ifndef SELFMON_REPORT_TEXT_FRAMES_H
#define SELFMON_REPORT_TEXT_FRAMES_H

#include "report/text.h"

/* Prints nothing if there were none. */
SELFMON_COLD
void selfmon_text_frames(struct selfmon_text *text);

#endif
