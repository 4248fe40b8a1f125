/* SPDX-License-Identifier: MIT */
/* The samples of a report in JSON. */
#ifndef SELFMON_REPORT_JSON_SAMPLES_H
#define SELFMON_REPORT_JSON_SAMPLES_H

#include "report/json_put.h"
#include "report/model.h"

/* Writes the member "samples", which is null if no samples were requested. */
void selfmon_json_samples(struct selfmon_json *json,
			  const struct selfmon_report *report);

#endif
