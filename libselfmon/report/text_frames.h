/* SPDX-License-Identifier: MIT */
/* The table of frames of a text report. */
#ifndef SELFMON_REPORT_TEXT_FRAMES_H
#define SELFMON_REPORT_TEXT_FRAMES_H

#include "report/text.h"

/* Prints the table, or nothing if the program marked no frames. */
SELFMON_COLD
void selfmon_text_frames(struct selfmon_text *text);

#endif
