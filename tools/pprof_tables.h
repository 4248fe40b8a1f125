/* SPDX-License-Identifier: MIT */
/* Writes strings, functions, locations and mappings of a profile for pprof. */
#ifndef SELFMON_TOOLS_PPROF_TABLES_H
#define SELFMON_TOOLS_PPROF_TABLES_H

#include "protobuf.h"
#include "report/samples.h"
#include "symbols.h"
#include "symbols_table.h"

/* Field numbers of the messages in profile.proto. */
enum profile {
	PROFILE_SAMPLE_TYPE = 1,
	PROFILE_SAMPLE = 2,
	PROFILE_MAPPING = 3,
	PROFILE_LOCATION = 4,
	PROFILE_FUNCTION = 5,
	PROFILE_STRING = 6,
	PROFILE_TIME = 9,
	PROFILE_DURATION = 10,
	PROFILE_PERIOD_TYPE = 11,
	PROFILE_PERIOD = 12,
};

/* A pprof profile that is being written. */
struct pprof {
	const struct selfmon_report *report;
	const struct selfmon_samples *samples;
	struct symbols *symbols;
	struct protobuf to;	     /* the profile, except for its strings */
	struct protobuf part, inner; /* the messages being built */
	struct protobuf strings;     /* the string table, at the end */
	/* Finds strings that were written before. */
	struct symbols_table text;
	/* Indexed by id: true if this location or function was written. */
	bool *place, *function;
	size_t places, functions; /* allocated elements */
	/* Indexed by module: end of the addresses that were written. */
	uint64_t *limit;
	uint64_t *location;	  /* the locations of one sample */
	bool failed;		  /* no memory */
};

/* Returns the index of a string in the table. Index 0 is "". */
uint64_t pprof_string(struct pprof *pprof, const char *text);
/* Writes a location and its functions, unless they were written before. */
void pprof_place(struct pprof *pprof, const struct symbol_place *place);
/* Writes module i. Call this after all locations of the module are written. */
void pprof_mapping(struct pprof *pprof, size_t i);
void pprof_tables_free(struct pprof *pprof);

#endif
