/* SPDX-License-Identifier: MIT */
/*
 * A live file as it is read: whatever is in it, no step is taken on its word
 * alone. Each offset, number and string is looked at before it is used; memory
 * and time are bounded by what the file holds.
 */
#ifndef SELFMON_REPORT_LIVE_READ_H
#define SELFMON_REPORT_LIVE_READ_H

#include "region/live.h"
#include "report/gather.h"
#include "report/model.h"

struct selfmon_live_input {
	const char *path;
	struct selfmon_file file;
	uint64_t size;
	struct selfmon_failure *failure; /* never NULL */
	struct selfmon_live_header header;
	struct selfmon_region **region;  /* by id - 1 */
	size_t regions, regions_room;
	struct selfmon_live_tree *tree;  /* by thread */
	size_t trees, trees_room;
	uint64_t newest;                 /* of all timestamps */
	struct selfmon_gather gather;
};

/* What was read of one thread. */
struct selfmon_live_place {
	uint64_t address;
	int32_t row;          /* -1: the root */
	int32_t apart;        /* the same of the rows by thread */
	uint32_t depth;
	bool updating;        /* an update was under way */
};

struct selfmon_live_tree {
	uint64_t offset;      /* of its record */
	int32_t top;          /* its root in the rows by thread */
	struct selfmon_live_place *place; /* by ordinal */
	size_t places, room;
};

/* live_read.c: -EILSEQ, and the failure says what is wrong at this offset. */
int selfmon_live_wrong(struct selfmon_live_input *input, uint64_t offset,
		       const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/* Another error, with the same. */
int selfmon_live_fails(struct selfmon_live_input *input, int error,
		       const char *what);
int selfmon_live_get(struct selfmon_live_input *input, uint64_t offset,
		     void *to, size_t size);
/* Opens the file and reads its header, which is then whole and plausible. */
int selfmon_live_open(struct selfmon_live_input *input);
void selfmon_live_close(struct selfmon_live_input *input);

/* live_rows.c: of one that was read from a file. NULL: no memory. */
struct selfmon_region *
selfmon_live_region_copy(const struct selfmon_region *from);

/* live_rows.c: all records, into input->gather. */
int selfmon_live_rows(struct selfmon_live_input *input);

/* live_stats.c: statistics that may be anything become ones that can be. */
int selfmon_live_stats(struct selfmon_live_input *input, uint64_t offset,
		       struct selfmon_stats *stats, bool *updating);

#endif
