/* SPDX-License-Identifier: MIT */
/*
 * The file of a trace (SELFMON_TRACE). Defines the format for the writer
 * (session/trace_writer.c) and the reader (tools/trace_read.c), and the
 * functions that write its blocks. See docs/TRACE.md.
 *
 * A header is followed by blocks. If the process is killed, the blocks written
 * so far remain; the last one may be incomplete. All numbers have the byte
 * order of the machine.
 */
#ifndef SELFMON_STORE_TRACE_FILE_H
#define SELFMON_STORE_TRACE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "platform/file.h"
#include "store/recorder.h"

#define SELFMON_TRACE_MAGIC "selftrc\n"
#define SELFMON_TRACE_ORDER UINT32_C(0x01020304)
#define SELFMON_TRACE_VERSION 1

struct selfmon_trace_header {
	char magic[SELFMON_FILE_MAGIC_SIZE];
	uint32_t order, version;
	uint32_t header_size; /* offset of the first block */
	int32_t pid;
	char program[256];
};

/* Readers skip blocks of other types. */
enum selfmon_trace_type {
	SELFMON_TRACE_CLOCK = 1, /* the first block, and repeated later */
	SELFMON_TRACE_REGION,	 /* before the first visit of the region */
	SELFMON_TRACE_THREAD,	 /* a thread's name; the last one is valid */
	SELFMON_TRACE_COLUMN,	 /* an event that visits count */
	SELFMON_TRACE_VISITS,	 /* entries of a thread's ring, in order */
	SELFMON_TRACE_END,	 /* no block follows; missing if killed */
	/* Begins a burst. The entries before it are left out. */
	SELFMON_TRACE_BURST,
	SELFMON_TRACE_FIRST_USE, /* zero of the report's times; at most once */
};

struct selfmon_trace_block {
	uint32_t type;
	uint32_t size; /* including this header; a multiple of 8 */
};

struct selfmon_trace_clock {
	struct selfmon_trace_block block;
	uint64_t ticks, raw_ns, real_ns; /* CLOCK_MONOTONIC_RAW, _REALTIME */
};

/*
 * When the process first used the library. A report counts times from here, and
 * the trace may begin earlier or later.
 */
struct selfmon_trace_first_use {
	struct selfmon_trace_block block;
	uint64_t ticks;
};

/* The name and the file name follow the struct, each with its NUL. */
struct selfmon_trace_region {
	struct selfmon_trace_block block;
	uint32_t id, line;
	uint32_t name_length, file_length; /* without NUL */
};

struct selfmon_trace_thread {
	struct selfmon_trace_block block;
	uint32_t tid, padding;
	char name[16];
};

struct selfmon_trace_column {
	struct selfmon_trace_block block;
	uint32_t column, padding;
	char name[SELFMON_EVENT_NAME_SIZE];
};

/* Entries (struct selfmon_ended) follow the struct. */
struct selfmon_trace_visits {
	struct selfmon_trace_block block;
	uint32_t ring;	   /* 0, 1, 2 ...; a ring has one thread at a time */
	uint32_t tid;	   /* owner of the ring at the end of these entries */
	uint64_t lost;	   /* entries overwritten before these */
};

/*
 * With longer= of SELFMON_TRACE: the next entries of this ring are a burst. It
 * ends with a visit that lasted longer than the limit.
 */
struct selfmon_trace_burst {
	struct selfmon_trace_block block;
	uint32_t ring;
	uint32_t tid;	 /* of the owner, when the burst begins */
	uint64_t passed; /* entries that were left out before the burst */
};

/*
 * Creates the file with its header. Returns 0 or -errno, as
 * selfmon_file_create_log().
 */
int selfmon_trace_file_begin(const char *path);
/*
 * Appends a block. Returns 0 or -errno. After an error the file may end with an
 * incomplete block, so append nothing further.
 */
int selfmon_trace_file_add(const void *block);
/* Returns the number of bytes that were appended, with the header. */
uint64_t selfmon_trace_file_size(void);
/* Appends a region's block, with long names truncated. */
struct selfmon_region;
int selfmon_trace_file_add_region(const struct selfmon_region *region);
void selfmon_trace_file_end(void);
/* Call in a forked child: closes the parent's file. */
void selfmon_trace_file_forked(void);

#endif
