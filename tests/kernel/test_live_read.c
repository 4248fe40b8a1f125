/* SPDX-License-Identifier: MIT */
/*
 * Tests live files that are truncated, damaged or foreign: the reader reports
 * them and never trusts their contents.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "form.h"
#include "report/live_stats.h"
#include "store/live.h"
#include "store/mend.h"
#include "report/live_read.h"
#include "rows.h"
#include "store/state.h"
#include "store/statistics.h"
#include "store/work.h"

static char path[64];
static char *file;      /* a small live file, unchanged */
static size_t size;     /* size up to the end of its records */
static int copy = -1;   /* another file, which tests change */
static char *map;       /* the copy in memory */

static void visit_and_go(void)
{
	int i;

	setenv("SELFMON_LIVE", path, 1);
	for (i = 0; i < 3; i++) {
		SELFMON_REGION("outer")
		{
			SELFMON_REGION("inner")
			{
			}
		}
	}
	SELFMON_REGION("counted")
		selfmon_region_count(selfmon_unit("rows"), 3);
	SELFMON_REGION("last")
	{
		_exit(0);
	}
}

static void load(void)
{
	struct selfmon_live_header *header;
	const int fd = open(path, O_RDONLY);
	struct stat stat_of;

	cr_assert(fd >= 0 && !fstat(fd, &stat_of));
	file = mmap(NULL, (size_t)stat_of.st_size, PROT_READ, MAP_PRIVATE, fd,
		    0);
	cr_assert_neq(file, MAP_FAILED);
	header = (void *)file;
	size = (size_t)header->used;
	close(fd);
}

static void setup(void)
{
	int status;

	setenv("SELFMON_EVENTS", "none", 1);
	snprintf(path, sizeof(path), "/dev/shm/selfmon-read-%d", getpid());
	if (fork() == 0)
		visit_and_go();
	wait(&status);
	cr_assert_eq(status, 0);
	load();
	unlink(path);
	copy = memfd_create("live", 0);
	cr_assert_eq(ftruncate(copy, (off_t)size), 0);
	map = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, copy, 0);
	cr_assert_neq(map, MAP_FAILED);
	memcpy(map, file, size);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", copy);
}

TestSuite(live_read, .init = setup, .timeout = 600);

/*
 * Reads the file. Whatever it contains, either the report can be written, or
 * the failure gives the reason. Returns 0 or the error.
 */
static int look(struct selfmon_failure *failure)
{
	struct selfmon_report *report;
	char *text = NULL;
	size_t length;
	FILE *stream;
	int error;

	memset(failure, 0xa5, sizeof(*failure));
	error = selfmon_report_open(path, &report, failure);
	if (error) {
		cr_assert_null(report);
		cr_assert_eq(failure->error, -error);
		cr_assert_eq(failure->step, SELFMON_STEP_FILE);
		cr_assert_neq(failure->message[0], '\0');
		return error;
	}
	stream = open_memstream(&text, &length);
	cr_assert_eq(selfmon_report_write(report, SELFMON_TEXT, stream), 0);
	fclose(stream);
	free(text);
	selfmon_report_free(report);
	return 0;
}

Test(live_read, the_file_itself_is_read)
{
	struct selfmon_report *report;

	cr_assert_eq(selfmon_report_open(path, &report, NULL), 0);
	cr_assert_eq(ROWS_GET(report, "outer", "inner")->visits, 3);
	cr_assert_eq(ROWS_GET(report, "last")->open, 1);
	selfmon_report_free(report);
}

Test(live_read, cut_short_at_any_length_it_is_refused)
{
	const size_t step = (size_t)by_form(211, 13, 1);
	struct selfmon_failure failure;
	size_t length;

	for (length = size; length > 0; length -= length < step ? length
								 : step) {
		cr_assert_eq(ftruncate(copy, (off_t)length - 1), 0);
		cr_assert_eq(look(&failure), -EILSEQ, "%zu bytes", length - 1);
		cr_assert_leq(failure.position, length - 1);
	}
}

Test(live_read, any_byte_of_it_may_be_another)
{
	const size_t step = (size_t)by_form(163, 11, 1);
	struct selfmon_failure failure;
	uint64_t refused = 0, seen = 0;
	size_t i;

	for (i = 0; i < size; i += step) {
		const unsigned int bits = i / step % 2 ? 0xff : 1u << i % 8;

		map[i] = (char)(map[i] ^ (int)bits);
		refused += look(&failure) != 0;
		seen++;
		map[i] = file[i];
	}
	cr_log_info("%llu of %llu refused", (unsigned long long)refused,
		    (unsigned long long)seen);
	cr_assert(refused > 0 && refused < seen);
}

/*
 * Expects that the file is refused at this position, with a message that
 * contains these words.
 */
static void says(const char *words, size_t position)
{
	struct selfmon_failure failure;

	cr_assert_eq(look(&failure), -EILSEQ);
	cr_assert_not_null(strstr(failure.message, words), "%s",
			   failure.message);
	cr_assert_eq(failure.position, position, "%zu", failure.position);
}

#define HEADER ((struct selfmon_live_header *)(void *)map)
#define AT(member) offsetof(struct selfmon_live_header, member)

Test(live_read, what_is_no_live_file_is_named_so)
{
	map[0] ^= 1;
	says("not a live file", 0);
}

Test(live_read, another_version_is_named)
{
	HEADER->version = 1000;
	says("format version 1000; this library reads ", AT(version));
}

Test(live_read, the_other_byte_order_is_named)
{
	HEADER->order = __builtin_bswap32(HEADER->order);
	says("a different byte order", AT(order));
}

Test(live_read, another_builds_sizes_are_named_with_its_machine)
{
	HEADER->node_size += 64;
	memcpy(HEADER->machine, "sparc", 6);
	says("another build or for another machine (sparc)", AT(header_size));
}

Test(live_read, an_end_beyond_the_file_is_named)
{
	HEADER->used += 64;
	says("truncated", size);
}

/* Returns the n-th record of this type, counted from 0. */
static void *record_of(uint32_t type, int n)
{
	uint64_t offset = HEADER->header_size;

	while (offset < size) {
		struct selfmon_record *const record = (void *)(map + offset);

		if (record->type == type && n-- == 0)
			return record;
		offset += record->size;
	}
	cr_assert(false, "no such record");
	return NULL;
}

static size_t offset_of(const void *record)
{
	return (size_t)((const char *)record - map);
}

Test(live_read, a_record_without_a_size_is_named_and_not_waited_for)
{
	struct selfmon_record *const record =
		record_of(SELFMON_RECORD_REGION, 0);

	record->size = 0;
	says("a record has a wrong size", offset_of(record));
}

Test(live_read, a_record_beyond_the_end_is_named)
{
	struct selfmon_record *const record =
		record_of(SELFMON_RECORD_THREAD, 0);

	record->size = UINT32_MAX - 63;
	says("a record has a wrong size", offset_of(record));
}

/*
 * Node 4 is the newest one, "last". It has no child, so only this record
 * becomes invalid.
 */
Test(live_read, a_record_of_an_unknown_type_is_named)
{
	struct selfmon_record *const record = record_of(SELFMON_RECORD_NODE, 4);

	record->type = 77;
	says("a record has the unknown type 77", offset_of(record));
}

Test(live_read, an_optional_record_of_an_unknown_type_is_skipped_with_a_note)
{
	struct selfmon_record *const record = record_of(SELFMON_RECORD_NODE, 4);
	struct selfmon_report *report;
	char *text = NULL;
	size_t length;
	FILE *stream;

	record->type = 77 | SELFMON_RECORD_OPTIONAL;
	cr_assert_eq(selfmon_report_open(path, &report, NULL), 0);
	cr_assert_eq(ROWS_GET(report, "outer", "inner")->visits, 3);
	cr_assert_null(ROWS_FIND(report, "last"));
	stream = open_memstream(&text, &length);
	cr_assert_eq(selfmon_report_write(report, SELFMON_TEXT, stream), 0);
	fclose(stream);
	cr_assert_not_null(strstr(text, "1 records of unknown types"), "%s",
			   text);
	free(text);
	selfmon_report_free(report);
}

Test(live_read, a_place_that_is_its_own_parent_is_named)
{
	struct selfmon_node *const node = record_of(SELFMON_RECORD_NODE, 2);

	node->parent_ordinal = node->ordinal;
	says("a place precedes its parent", offset_of(node));
}

Test(live_read, a_place_of_no_region_is_named)
{
	struct selfmon_node *const node = record_of(SELFMON_RECORD_NODE, 1);

	node->region = 1000;
	says("a place belongs to no region", offset_of(node));
}

Test(live_read, a_name_without_an_end_is_named)
{
	struct selfmon_live_region *const region =
		record_of(SELFMON_RECORD_REGION, 0);

	((char *)(region + 1))[region->name_length] = 'x';
	says("a region has an invalid name", offset_of(region));
}

Test(live_read, a_bucket_that_does_not_exist_is_named)
{
	struct selfmon_node *const node = record_of(SELFMON_RECORD_NODE, 1);

	node->stats->last = SELFMON_BUCKET_NONE + 1;
	says("invalid histogram bucket", offset_of(&node->stats->last));
}

Test(live_read, a_unit_of_no_place_is_named)
{
	struct selfmon_work *const work = record_of(SELFMON_RECORD_WORK, 0);

	work->ordinal = 1000;
	says("a unit belongs to no place", offset_of(work));
	work->ordinal = 1;
	work->thread = 1;
	says("a unit belongs to no place", offset_of(work));
}

Test(live_read, a_unit_without_a_name_is_named)
{
	struct selfmon_work *const work = record_of(SELFMON_RECORD_WORK, 0);

	work->unit = SELFMON_MAX_UNITS;
	says("a unit has an invalid name", offset_of(work));
	work->unit = 2;
	work->name[1] = '"';
	says("a unit has an invalid name", offset_of(work));
	memset(work->name, 'x', sizeof(work->name));
	says("a unit has an invalid name", offset_of(work));
}

Test(live_read, a_unit_with_extremes_of_no_visit_is_left_out)
{
	struct selfmon_work *const work = record_of(SELFMON_RECORD_WORK, 0);
	struct selfmon_report_unit unit = { .size = sizeof(unit) };
	struct selfmon_report *report;
	size_t i;

	work->min = 9;
	cr_assert_eq(selfmon_report_open(path, &report, NULL), 0);
	for (i = 0; i < selfmon_report_row_count(report); i++) {
		cr_assert_eq(selfmon_report_unit(report, i, 2, &unit), 0);
		cr_assert_eq(unit.visits, 0);
	}
	selfmon_report_free(report);
}

/* ---- updates under way --------------------------------------------------- */

static struct selfmon_row row_named(const char *name)
{
	struct selfmon_report *report;
	struct selfmon_row row;

	cr_assert_eq(selfmon_report_open(path, &report, NULL), 0);
	row = *ROWS_GET(report, name);
	rows_check(report);
	selfmon_report_free(report);
	return row;
}

/* "outer" is the first node after the root. */
static struct selfmon_stats *outer(void)
{
	struct selfmon_node *const node = record_of(SELFMON_RECORD_NODE, 1);

	return node->stats;
}

Test(live_read, an_update_before_its_sum_is_a_visit)
{
	struct selfmon_row row;

	outer()->sequence++;
	row = row_named("outer");
	cr_assert_eq(row.visits, 4);
	cr_assert_eq(row.repaired, 1);
}

Test(live_read, an_update_after_its_sum_is_the_same)
{
	struct selfmon_row row;

	outer()->sequence++;
	outer()->ticks.sum += 1000000000;
	row = row_named("outer");
	cr_assert_eq(row.visits, 4);
	cr_assert_eq(row.repaired, 1);
}

Test(live_read, a_first_visit_that_was_just_recorded_is_one)
{
	struct selfmon_stats *const stats = outer();

	stats->sequence = 1;
	stats->ticks = (struct selfmon_sums){ 500, UINT64_MAX, 0 };
	cr_assert_eq(row_named("outer").visits, 1);
}

/* Node 4 is "last", which has an open visit. */
Test(live_read, a_visit_that_was_just_recorded_is_not_open_as_well)
{
	struct selfmon_node *const node = record_of(SELFMON_RECORD_NODE, 4);
	struct selfmon_row row;

	node->stats->sequence++;
	node->stats->ticks.sum = 7;
	row = row_named("last");
	cr_assert_eq(row.visits, 1);
	cr_assert_eq(row.open, 0);
}

/*
 * ---- a process that continues ----------------------------------------------
 */

#define GOOD 2000
#define READS 100000
#define PAUSE 20000
/*
 * The bucket farthest from the sequence in memory: an update between the reads
 * of the two is likely.
 */
#define LAST (SELFMON_BUCKETS_LONG - 1)

static bool enough;

/*
 * Each update adds one visit to the sequence and one to the histogram. The
 * pause between updates gives the reader time to copy the statistics.
 */
static void *record_for_ever(void *stats_of)
{
	struct selfmon_stats *const stats = stats_of;
	int i;

	while (!selfmon_load_once(&enough)) {
		selfmon_stats_begin(stats);
		__atomic_fetch_add(&stats->long_histogram[LAST], 1,
				   __ATOMIC_RELAXED);
		selfmon_stats_end(stats);
		/* clang removes a loop that has only compiler fences. */
		for (i = 0; i < PAUSE && !selfmon_load_once(&enough); i++)
			selfmon_compiler_fence();
	}
	return NULL;
}

Test(live_read, a_place_is_read_whole_while_it_is_written)
{
	struct selfmon_failure failure;
	struct selfmon_live_input input = { .path = path, .failure = &failure };
	struct selfmon_stats *const stats = outer();
	struct selfmon_stats seen = { .sequence = 0 };
	pthread_t thread;
	bool whole;
	int i, good = 0;

	stats->sequence = 0;
	stats->ticks = (struct selfmon_sums){ 0, 0, UINT32_MAX };
	stats->long_histogram[LAST] = 0;
	cr_assert_eq(selfmon_live_open(&input), 0);
	pthread_create(&thread, NULL, record_for_ever, stats);
	for (i = 0; i < READS && good < GOOD; i++) {
		const uint64_t before = seen.sequence;

		cr_assert_eq(selfmon_live_stats(&input, offset_of(stats), &seen,
						&whole),
			     0);
		if (!whole)
			continue; /* an update was in progress */
		selfmon_stats_complete(&seen, whole);
		cr_assert_eq(seen.long_histogram[LAST],
			     selfmon_stats_visits(&seen));
		good += seen.sequence != before;
	}
	cr_assert_gt(good, 0);
	selfmon_store_once(&enough, true);
	pthread_join(thread, NULL);
	selfmon_live_close(&input);
}

Test(live_read, facts_that_were_half_written_are_not_looked_at)
{
	struct selfmon_live_facts *const other =
		&HEADER->facts[HEADER->which == 1];
	char *text = NULL, program[300];
	struct selfmon_report *report;
	FILE *stream;
	size_t length;

	memset(other, 0xff, sizeof(*other));
	snprintf(program, sizeof(program), "selfmon      %s, pid ",
		 program_invocation_short_name);
	cr_assert_eq(selfmon_report_open(path, &report, NULL), 0);
	stream = open_memstream(&text, &length);
	selfmon_report_write(report, SELFMON_TEXT, stream);
	fclose(stream);
	cr_assert_not_null(strstr(text, program), "%s", text);
	free(text);
	selfmon_report_free(report);
}

Test(live_read, where_the_clock_is_not_known_the_file_has_two_moments)
{
	struct selfmon_live_facts *const facts =
		&HEADER->facts[HEADER->which - 1];
	struct selfmon_clock_pair *const pair = HEADER->pair;
	struct selfmon_report *report;

	memcpy(facts->boot, "another", sizeof("another"));
	facts->clock.source = SELFMON_CLOCK_NONE;
	pair[0].ticks = facts->start_ticks;
	pair[0].raw_ns = 0;
	HEADER->pairs = 2;
	pair[2] = pair[0];
	pair[2].ticks += 4000000000;
	pair[2].raw_ns += 1000000000;
	pair[1] = (struct selfmon_clock_pair){ .ticks = 1 };
	outer()->ticks.sum = 12;
	outer()->ticks.min = outer()->ticks.max = 4;
	cr_assert_eq(selfmon_report_open(path, &report, NULL), 0);
	cr_assert_eq(ROWS_GET(report, "outer")->time.sum, 3);
	selfmon_report_free(report);
}
