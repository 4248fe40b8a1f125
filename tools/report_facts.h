/* SPDX-License-Identifier: MIT */
/* Numbers in reports that a merge adds up, with their names in JSON. */
#ifndef SELFMON_TOOLS_REPORT_FACTS_H
#define SELFMON_TOOLS_REPORT_FACTS_H

#include <stddef.h>
#include <stdint.h>

/* A number in a row or in the header. */
struct report_fact {
	const char *key;
	/*
	 * Offset of a uint64_t in struct selfmon_row or struct selfmon_report.
	 */
	size_t offset;
};
#define REPORT_FACTS 27
#define REPORT_FACTS_REGION 17 /* each row of a region has the first 17 */
#define REPORT_FACTS_SPAN 18   /* each row of a span has the first 18 */
extern const struct report_fact report_fact[REPORT_FACTS];

/* Number of counts in the header. */
#define REPORT_COUNTS 16
#define REPORT_COUNTS_FIRST 11 /* each report has the first 11 */
extern const struct report_fact report_count[REPORT_COUNTS];

static inline uint64_t *report_fact_of(void *in, const struct report_fact *fact)
{
	return (uint64_t *)(void *)((char *)in + fact->offset);
}

#endif
