/* SPDX-License-Identifier: MIT */
/* Writes the label of a region: its name and place in the tree. */
#ifndef SELFMON_REPORT_TEXT_LABEL_H
#define SELFMON_REPORT_TEXT_LABEL_H

#include "report/text.h"

SELFMON_COLD
void selfmon_label_prepare(struct selfmon_text *text);
SELFMON_COLD
void selfmon_label_put(struct selfmon_text *text, size_t row);

#endif
