/* SPDX-License-Identifier: MIT */
/* The numbers in reports that are added up, with their names in JSON. */
#ifndef SELFMON_TOOLS_REPORT_FACTS_H
#define SELFMON_TOOLS_REPORT_FACTS_H

#include <stddef.h>
#include <stdint.h>

/* The numbers of a row that are added up. */
struct report_fact {
	const char *key;
	size_t offset; /* offset of a uint64_t in struct selfmon_row */
};
#define REPORT_FACTS 27
#define REPORT_FACTS_REGION 17 /* those that each region has */
#define REPORT_FACTS_SPAN 18   /* and each span */
extern const struct report_fact report_fact[REPORT_FACTS];

/* The numbers of the header that are added up. */
#define REPORT_COUNTS 16
#define REPORT_COUNTS_FIRST 11 /* those in every report */
extern const struct report_fact report_count[REPORT_COUNTS];

static inline uint64_t *report_fact_of(void *in, const struct report_fact *fact)
{
	return (uint64_t *)(void *)((char *)in + fact->offset);
}

#endif
