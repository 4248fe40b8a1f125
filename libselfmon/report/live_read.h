/* SPDX-License-Identifier: MIT */
/*
 * Reads a live file, whose content is not trusted. Each offset, number and
 * string is checked before use. Memory and time are limited by the size of the
 * file.
 */
#ifndef SELFMON_REPORT_LIVE_READ_H
#define SELFMON_REPORT_LIVE_READ_H

#include "store/live.h"
#include "report/gather.h"
#include "report/gather_tree.h"
#include "report/model.h"

/* Has a larger alignment than malloc(3) provides, because of `thread`. */
struct selfmon_live_input {
	const char *path;
	struct selfmon_file file;
	uint64_t size;
	struct selfmon_failure *failure; /* never NULL */
	struct selfmon_live_header header;
	/* The record of the thread that is being read. */
	struct selfmon_thread_record thread;
	struct selfmon_region **region;  /* by id - 1 */
	size_t regions, regions_room;
	struct selfmon_live_tree *tree;  /* by thread */
	size_t trees, trees_room;
	uint64_t *off_cpu; /* offsets of records of off-CPU time and samples */
	size_t off_cpus, off_cpus_room;
	/* Offsets of the records of slow visits, which are read at the end. */
	uint64_t *slowest;
	size_t slowests, slowests_room;
	uint64_t newest;                 /* newest timestamp */
	/* Number of skipped records of unknown types. */
	uint64_t unknown;
	struct selfmon_gather gather;
};

struct selfmon_live_tree {
	uint64_t offset; /* offset of the thread's record */
	struct selfmon_gather_tree gather;
};

/* Reports damaged data at this offset. Returns -EILSEQ. */
int selfmon_live_wrong(struct selfmon_live_input *input, uint64_t offset,
		       const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/* Reports any error but damaged data. `error` is -errno. Returns `error`. */
int selfmon_live_fails(struct selfmon_live_input *input, int error,
		       const char *what);
int selfmon_live_get(struct selfmon_live_input *input, uint64_t offset,
		     void *to, size_t size);
/* Opens the file, and reads and checks its header. */
int selfmon_live_open(struct selfmon_live_input *input);
void selfmon_live_close(struct selfmon_live_input *input);

#endif
