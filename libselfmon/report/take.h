/* SPDX-License-Identifier: MIT */
/* Takes a report of this process. */
#ifndef SELFMON_REPORT_TAKE_H
#define SELFMON_REPORT_TAKE_H

#include "report/model.h"

/* Like selfmon_report_take(), but with rows by thread in addition. */
int selfmon_report_take_apart(struct selfmon_report **report);

#endif
