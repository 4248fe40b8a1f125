/* SPDX-License-Identifier: MIT */
/*
 * Writes the live file. Its records are in chunks, each of which is mapped
 * separately. The maps are MADV_DONTFORK, and all pointers to them are in
 * memory that is wiped in a forked child.
 *
 * If the file cannot grow (the disk is full, a limit is reached, or the program
 * closed the descriptor), new records are in memory only, and the live file and
 * the report say so.
 */
#include "store/live.h"

#include <errno.h>
#include <string.h>

#include "clock/clock.h"
#include "platform/kernel.h"
#include "platform/path.h"
#include "store/config.h"
#include "store/memory.h"
#include "store/process.h"
#include "store/self.h"

#define CHUNK_SIZE ((size_t)1 << 20)
#define CHUNKS_MAX 16384
/*
 * Minimum distance in ticks between two pairs of timestamps (struct
 * selfmon_clock_pair), except between the first two.
 */
#define PAIR_TICKS UINT64_C(20000000)
#define PAIR_TRIES 4

struct selfmon_live {
	struct selfmon_live_header *header;
	struct selfmon_file file;
	bool full;
	char *next;       /* next free byte of the newest chunk */
	size_t room;      /* free bytes from `next` to the end of the chunk */
	uint64_t end;     /* file offset of the end of the newest chunk */
	size_t chunks;
	struct {
		char *at;
		size_t size;
	} chunk[CHUNKS_MAX];
};

/*
 * In memory that fork() copies: a forked child finds its parent's file here and
 * closes it.
 */
static struct selfmon_file opened;
static struct selfmon_live *live_of(const struct selfmon_process *process)
{
	struct selfmon_live *const live =
		process ? __atomic_load_n(&process->live, __ATOMIC_ACQUIRE)
			: NULL;

	return live && live->header ? live : NULL;
}

/* ---- room ---------------------------------------------------------------- */

static int grow(struct selfmon_live *live, size_t size)
{
	const size_t chunk = (size + CHUNK_SIZE - 1) & ~(CHUNK_SIZE - 1);
	void *map;
	int error;

	if (live->chunks == CHUNKS_MAX)
		return -EFBIG;
	error = selfmon_file_grow(&live->file, live->end, chunk, &map);
	if (error)
		return error;
	live->chunk[live->chunks].at = map;
	live->chunk[live->chunks].size = chunk;
	__atomic_store_n(&live->chunks, live->chunks + 1, __ATOMIC_RELEASE);
	live->end += chunk;
	return 0;
}

static void is_full(struct selfmon_live *live, int error)
{
	live->full = true;
	selfmon_config_note("SELFMON_LIVE: the file cannot grow: %s; new "
			    "regions, threads and places are kept in memory "
			    "only", strerror(-error));
}

/*
 * Fills the unused rest of the newest chunk with one record, so that readers
 * can skip it.
 */
static void close_chunk(struct selfmon_live *live)
{
	if (live->room)
		*(struct selfmon_record *)(void *)live->next =
			(struct selfmon_record){ SELFMON_RECORD_REST,
						 (uint32_t)live->room };
}

static void *take(struct selfmon_live *live, uint32_t type, size_t size)
{
	struct selfmon_record *record;
	int error = 0;

	size = SELFMON_LIVE_ROUND(size);
	if (!live->full && size > live->room) {
		error = grow(live, size);
		if (error)
			is_full(live, error);
	}
	if (live->full) {
		live->header->counts.left_out++;
		return NULL;
	}
	if (size > live->room) {
		close_chunk(live);
		live->next = live->chunk[live->chunks - 1].at;
		live->room = live->chunk[live->chunks - 1].size;
	}
	record = (void *)live->next;
	record->type = type;
	record->size = (uint32_t)size;
	return record;
}

/*
 * Writes a pair of timestamps, one of each clock (struct selfmon_clock_pair). A
 * reader calibrates the clock from two pairs that are as far apart as possible:
 * the first pair, and the last pair, which is updated from time to time.
 */
static void publish_time(struct selfmon_live_header *header)
{
	const uint64_t pairs = header->pairs;
	const uint64_t newest = pairs ? (pairs - 1) % 2 + 1 : 0;

	if (!pairs)
		selfmon_clock_first_pair(&header->pair[0]);
	else if (pairs > 1 && selfmon_clock_ticks() -
			      header->pair[newest].ticks < PAIR_TICKS)
		return;
	else
		selfmon_clock_pair_take(&header->pair[pairs % 2 + 1],
					PAIR_TRIES);
	__atomic_store_n(&header->pairs, pairs + 1, __ATOMIC_RELEASE);
}

/* Release: a reader that sees the new `used` sees the whole record. */
static void publish(struct selfmon_live *live,
		    const struct selfmon_record *record)
{
	live->next += record->size;
	live->room -= record->size;
	__atomic_store_n(&live->header->used, live->end - live->room,
			 __ATOMIC_RELEASE);
	publish_time(live->header);
}

/* ---- records ------------------------------------------------------------- */

static size_t length_kept(size_t length)
{
	return length < SELFMON_LIVE_NAME_MAX ? length : SELFMON_LIVE_NAME_MAX;
}

static void add_region(struct selfmon_live *live,
		       const struct selfmon_region *region)
{
	const size_t name = length_kept(region->length);
	const size_t file = length_kept(strlen(region->site.file));
	struct selfmon_live_region *const record =
		take(live, SELFMON_RECORD_REGION,
		     sizeof(*record) + name + 1 + file + 1);
	char *text;

	if (!record)
		return;
	record->id = region->site.id;
	record->line = region->site.line;
	record->name_length = (uint32_t)name;
	record->file_length = (uint32_t)file;
	text = (char *)(record + 1);
	memcpy(text, region->site.name, name);
	memcpy(text + name + 1, region->site.file, file);
	publish(live, &record->record);
}

void selfmon_live_add_region(const struct selfmon_process *process,
			     const struct selfmon_region *region)
{
	struct selfmon_live *const live = live_of(process);

	if (live)
		add_region(live, region);
}

void *selfmon_live_take(const struct selfmon_process *process, uint32_t type,
			size_t size)
{
	struct selfmon_live *const live = live_of(process);

	return live ? take(live, type, size) : NULL;
}

void selfmon_live_publish(const struct selfmon_process *process,
			  const struct selfmon_record *record)
{
	publish(live_of(process), record);
}

/* ---- beginning and end --------------------------------------------------- */

static void begin_header(struct selfmon_live *live)
{
	struct selfmon_live_header *const header = (void *)live->chunk[0].at;
	const size_t size = SELFMON_LIVE_ROUND(sizeof(*header));

	header->order = SELFMON_LIVE_ORDER;
	header->version = SELFMON_LIVE_VERSION;
	header->header_size = (uint32_t)size;
	header->facts_size = sizeof(header->facts[0]);
	header->thread_size = sizeof(struct selfmon_thread_record);
	header->node_size = sizeof(struct selfmon_node);
	header->sampled_size = sizeof(struct selfmon_sampled);
	header->open_size = sizeof(struct selfmon_visit);
	header->entries = SELFMON_DEPTH_MAX + 1;
	header->counters = SELFMON_MAX_COUNTERS;
	header->buckets = SELFMON_BUCKETS;
	header->rare = SELFMON_RARE_COUNT;
	strncpy(header->machine, SELFMON_ARCH_NAME,
		sizeof(header->machine) - 1);
	header->used = size;
	live->next = live->chunk[0].at + size;
	live->room = live->chunk[0].size - size;
	live->header = header;
}

/*
 * Sets the file's path. Returns false if no live file is requested, or if its
 * path is too long. Also returns false in a forked child if the path lacks the
 * process id: a child never writes to its parent's file.
 */
static bool name_of(const struct selfmon_process *process,
		    char path[SELFMON_PATH_SIZE])
{
	const char *const name = selfmon_config()->live;
	bool names_process;

	if (!*name)
		return false;
	if (selfmon_path_expand(name, strlen(name), path, &names_process))
		return names_process || !process->forked;
	selfmon_config_note("SELFMON_LIVE=%.64s...: too long; ignored", name);
	selfmon_config()->live = ""; /* one note, not one for each thread */
	return false;
}

static const char *why_no_file(int error)
{
	switch (error) {
	case -EEXIST: return "the existing file is not a live file";
	case -ELOOP: return "symbolic links are not followed";
	case -EINVAL: return "it is not a regular file";
	case -EOPNOTSUPP:
		return "its file system is not tmpfs, ext4 or XFS (a full disk "
		       "could end the process by SIGBUS there): try a file in "
		       "/dev/shm";
	case -EPERM:
		if (selfmon_kernel_is_secure())
			return "the program has more privileges than its "
			       "caller";
		break;
	}
	return strerror(-error);
}

static int create_live(struct selfmon_live *live, const char *path)
{
	int error = selfmon_file_create(path, SELFMON_LIVE_MAGIC, &live->file);

	if (error)
		return error;
	opened = live->file;
	error = grow(live, sizeof(struct selfmon_live_header));
	if (error)
		selfmon_file_close(&opened);
	return error;
}

struct selfmon_live_header *selfmon_live_begin(struct selfmon_process *process)
{
	struct selfmon_live *live = process->live;
	char path[SELFMON_PATH_SIZE];
	int error = -ENOMEM;

	if (live || !name_of(process, path))
		return NULL;
	live = selfmon_memory_wiped(sizeof(*live));
	if (live)
		error = create_live(live, path);
	if (error)
		selfmon_config_note("SELFMON_LIVE=%.128s: cannot be written: "
				    "%s; statistics are kept in memory only",
				    path, why_no_file(error));
	else
		begin_header(live);
	__atomic_store_n(&process->live, live, __ATOMIC_RELEASE);
	return error ? NULL : live->header;
}

void selfmon_live_complete(struct selfmon_live_header *header)
{
	__atomic_thread_fence(__ATOMIC_RELEASE);
	if (header)
		memcpy(header->magic, SELFMON_LIVE_MAGIC,
		       sizeof(header->magic));
}

struct selfmon_live_header *
selfmon_live_header(const struct selfmon_process *process)
{
	const struct selfmon_live *const live = live_of(process);

	return live ? live->header : NULL;
}

struct selfmon_live_counts *
selfmon_live_counts(const struct selfmon_process *process)
{
	struct selfmon_live *const live = live_of(process);

	return live ? &live->header->counts : NULL;
}

void selfmon_live_count(struct selfmon_process *process)
{
	struct selfmon_live_counts *const counts = selfmon_live_counts(process);
	size_t i;

	if (!counts)
		return;
	for (i = 0; i < SELFMON_LIMITED_COUNT; i++)
		selfmon_store_once(&counts->limited[i],
				   process->limited[i].threads);
	selfmon_store_once(&counts->threads, process->attached);
	selfmon_store_once(&counts->threads_at_once, process->alive_max);
	selfmon_store_once(&counts->refused, process->refused);
	selfmon_store_once(&counts->unready, selfmon_thread_unready());
	publish_time(live_of(process)->header);
}

void selfmon_live_forked(void)
{
	selfmon_file_close(&opened);
}
