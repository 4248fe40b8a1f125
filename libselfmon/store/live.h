/* SPDX-License-Identifier: MIT */
/*
 * The live file: the statistics of a process in a file, which remain if the
 * process is killed. This header defines the format (docs/LIVE.md) for the
 * writer (live.c) and the reader (report/live_read.c).
 *
 * The file is a header followed by records, which end at header.used. Records
 * are never moved or removed. A record is complete before header.used includes
 * it; afterwards its statistics and open visits change in place. The records of
 * threads and nodes are the same structures as in memory (store/state.h).
 */
#ifndef SELFMON_STORE_LIVE_H
#define SELFMON_STORE_LIVE_H

#include "clock/calibrate.h"
#include "platform/file.h"
#include "store/calibration.h"
#include "store/name.h"
#include "store/process.h"

#define SELFMON_LIVE_MAGIC "selfmon\n"
#define SELFMON_LIVE_ORDER UINT32_C(0x01020304)
#define SELFMON_LIVE_VERSION 8
#define SELFMON_LIVE_ALIGN 64
#define SELFMON_LIVE_ROUND(size)                                               \
	(((size) + SELFMON_LIVE_ALIGN - 1) /                                   \
	 SELFMON_LIVE_ALIGN * SELFMON_LIVE_ALIGN)
#define SELFMON_LIVE_REASON 512
/* Longer names are truncated to this many bytes in the file. */
#define SELFMON_LIVE_NAME_MAX 65535

/*
 * A region's record. Ids are 1, 2, 3 and so on. The name and the file name
 * follow the struct, each with its NUL.
 */
struct selfmon_live_region {
	struct selfmon_record record;
	uint32_t id, line;
	uint32_t name_length, file_length; /* without NUL */
};

_Static_assert(sizeof(struct selfmon_thread_record) <= 82 * 1024,
	       "a thread's part of a live file, in docs/COST.md and LIVE.md");
_Static_assert(
	offsetof(struct selfmon_thread_record, open) % SELFMON_LIVE_ALIGN ==
			0 &&
		offsetof(struct selfmon_node, stats) % SELFMON_LIVE_ALIGN == 0,
	"entries and statistics begin with a cache line");

/*
 * Facts about the process that rarely change. The file has two copies: a change
 * is written to the copy that is not current.
 */
struct selfmon_live_facts {
	char program[256], cpu[64], hypervisor[16], kernel[256];
	char boot[40];             /* boot id of the system */
	int32_t pid;
	uint32_t forked;
	uint64_t begun;            /* seconds since 1970 */
	uint64_t start_ticks;
	/* clock.source is NONE while the clock is unknown. */
	struct selfmon_clock clock;
	uint32_t choice, columns;
	uint32_t every, fence, strict, guard, off_cpu, padding;
	uint64_t read_ns;
	uint64_t taken;
	char events[SELFMON_SPEC_MAX];
	char events_reason[SELFMON_LIVE_REASON];
	char counters_off[SELFMON_LIVE_REASON];
	char read_reason[SELFMON_LIVE_REASON];
	char slow_path[SELFMON_LIVE_REASON];
	char limited[SELFMON_LIMITED_COUNT][SELFMON_LIVE_REASON];
	struct {
		char name[SELFMON_EVENT_NAME_SIZE];
		uint32_t verdict, kernel, place, group;
		char reason[SELFMON_LIVE_REASON];
	} column[SELFMON_MAX_COUNTERS];
	struct {
		char event[SELFMON_EVENT_NAME_SIZE]; /* "": no samples */
		uint64_t period, asked, cost_ticks;
		uint32_t frequency, chain;
	} sampling;
	uint64_t notes;
	char note[SELFMON_NOTES_MAX][SELFMON_MESSAGE_SIZE];
	struct selfmon_calibration calibration;
};

/* Counts of the process. Each word is updated separately. */
struct selfmon_live_counts {
	uint64_t threads, threads_at_once, refused;
	/* Number of threads that reached a limit, by enum selfmon_step_down. */
	uint64_t limited[SELFMON_LIMITED_COUNT];
	uint64_t unready, stale;
	uint64_t left_out; /* number of records not written, for lack of room */
	uint64_t ended;    /* the library has ended */
};

struct selfmon_live_header {
	char magic[SELFMON_FILE_MAGIC_SIZE];
	uint32_t order, version;
	/*
	 * Sizes of the records in the file, and lengths of the arrays in them,
	 * as compiled into the writer. A reader with other values rejects the
	 * file.
	 */
	uint32_t header_size, facts_size, thread_size, node_size;
	uint32_t sampled_size;
	uint32_t open_size, entries, counters, buckets, rare;
	char machine[16];
	uint64_t used;
	/* The current copy of the facts: 1 or 2; 0: none is written yet. */
	uint64_t which;
	/*
	 * Number of pairs of times written: the first to pair[0], later ones to
	 * pair[2] and pair[1] in turn.
	 */
	uint64_t pairs;
	struct selfmon_clock_pair pair[3];
	struct selfmon_live_counts counts;
	struct selfmon_live_facts facts[2];
};

/*
 * ---- writing the file; under the process lock unless noted -----------------
 */

/*
 * Called before a thread's state is made. The first call creates the file, and
 * returns its header. Later calls return NULL, as do calls without a file.
 * After the first call, the caller adds the existing regions and the facts to
 * the new file, and calls selfmon_live_complete(). Until that call, readers
 * reject the file.
 */
struct selfmon_live_header *selfmon_live_begin(struct selfmon_process *process);
void selfmon_live_complete(struct selfmon_live_header *header);
void selfmon_live_add_region(const struct selfmon_process *process,
			     const struct selfmon_region *region);
/*
 * Returns zeroed space for a record, with type and size set. Returns NULL if
 * there is no file or no room in it. The caller fills in the record and
 * publishes it before it takes the next one.
 */
void *selfmon_live_take(const struct selfmon_process *process, uint32_t type,
			size_t size);
void selfmon_live_publish(const struct selfmon_process *process,
			  const struct selfmon_record *record);
/* Writes the counts of the process to the file. */
void selfmon_live_count(struct selfmon_process *process);
/*
 * Return the header or its counts, or NULL if there is no file. Need no lock.
 */
struct selfmon_live_header *
selfmon_live_header(const struct selfmon_process *process);
struct selfmon_live_counts *
selfmon_live_counts(const struct selfmon_process *process);
/* Call in a forked child: closes the parent's file. */
void selfmon_live_forked(void);

#endif
