/* SPDX-License-Identifier: MIT */
/* The legend and the notes of a text report. */
#ifndef SELFMON_REPORT_TEXT_NOTES_H
#define SELFMON_REPORT_TEXT_NOTES_H

#include "report/text.h"

SELFMON_COLD
void selfmon_text_legend(struct selfmon_text *text);
SELFMON_COLD
void selfmon_text_notes(struct selfmon_text *text);

#endif
