/* SPDX-License-Identifier: MIT */
/* Reads the time, the counters and the histograms of a row in JSON. */
#ifndef SELFMON_TOOLS_REPORT_JSON_QUANTITY_H
#define SELFMON_TOOLS_REPORT_JSON_QUANTITY_H

#include "json_in.h"
#include "report_file.h"

/*
 * Reads the buckets of a histogram, and returns their number. The caller frees
 * *to.
 */
size_t report_json_buckets(struct json_in *in, json_t *list,
			   struct selfmon_row_bucket **to);
/* Call these functions after the row's counts of visits are read. */
void report_json_time(struct json_in *in, json_t *row_json,
		      struct selfmon_row *row,
		      struct selfmon_row_detail *detail);
void report_json_counters(struct json_in *in, json_t *row_json,
			  struct selfmon_row *row,
			  struct selfmon_row_detail *detail, size_t columns);

#endif
