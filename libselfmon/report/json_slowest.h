/* SPDX-License-Identifier: MIT */
/* The slowest visits of a report in JSON. */
#ifndef SELFMON_REPORT_JSON_SLOWEST_H
#define SELFMON_REPORT_JSON_SLOWEST_H

#include "report/json_put.h"
#include "report/model.h"

void selfmon_json_slowest(struct selfmon_json *outer,
			  const struct selfmon_report *report);

#endif
