/* SPDX-License-Identifier: MIT */
/* Reads the header of a live file, and reports errors in a file. */
#include "report/live_read.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "platform/escape.h"
#include "store/live.h"

/*
 * Maximum number of attempts to read a header while the process keeps writing.
 */
#define TRIES 100

__attribute__((format(printf, 4, 5))) static void
note_failure(struct selfmon_live_input *input, int error, uint64_t offset,
	     const char *format, ...)
{
	struct selfmon_failure *const failure = input->failure;
	char text[SELFMON_MESSAGE_SIZE];
	va_list arguments;

	memset(failure, 0, sizeof(*failure));
	failure->error = -error;
	failure->step = SELFMON_STEP_FILE;
	failure->position = (size_t)offset;
	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	selfmon_escape(SELFMON_FOR_TEXT, failure->message,
		       sizeof(failure->message), text);
}

int selfmon_live_wrong(struct selfmon_live_input *input, uint64_t offset,
		       const char *format, ...)
{
	char what[SELFMON_MESSAGE_SIZE / 2];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(what, sizeof(what), format, arguments);
	va_end(arguments);
	note_failure(input, -EILSEQ, offset, "%.100s: %s (at byte %llu)",
		     input->path, what, (unsigned long long)offset);
	return -EILSEQ;
}

int selfmon_live_fails(struct selfmon_live_input *input, int error,
		       const char *what)
{
	note_failure(input, error, 0, "%.100s: %s: %s", input->path, what,
		     strerror(-error));
	return error;
}

int selfmon_live_get(struct selfmon_live_input *input, uint64_t offset,
		     void *to, size_t size)
{
	ssize_t n;

	if (offset > input->size || size > input->size - offset)
		return selfmon_live_wrong(input, input->size,
					  "the file ends too early");
	n = selfmon_file_read(&input->file, offset, to, size);
	if (n < 0)
		return selfmon_live_fails(input, (int)n, "cannot be read");
	if ((size_t)n < size)
		return selfmon_live_wrong(input, offset + (uint64_t)n,
					  "the file was truncated while it was "
					  "read");
	return 0;
}

static int check_kind(struct selfmon_live_input *input)
{
	const struct selfmon_live_header *const header = &input->header;

	if (memcmp(header->magic, SELFMON_LIVE_MAGIC, sizeof(header->magic)))
		return selfmon_live_wrong(input, 0, "not a live file of "
					  "libselfmon");
	if (header->order == __builtin_bswap32(SELFMON_LIVE_ORDER))
		return selfmon_live_wrong(
			input, offsetof(struct selfmon_live_header, order),
			"written on a machine with a different byte order");
	if (header->order != SELFMON_LIVE_ORDER)
		return selfmon_live_wrong(
			input, offsetof(struct selfmon_live_header, order),
			"invalid byte order");
	if (header->version != SELFMON_LIVE_VERSION)
		return selfmon_live_wrong(
			input, offsetof(struct selfmon_live_header, version),
			"format version %u; this library reads %d",
			header->version, SELFMON_LIVE_VERSION);
	return 0;
}

/*
 * Rejects a file of the same version that was written on another kind of
 * machine, or by a build with other limits.
 */
static int check_layout(struct selfmon_live_input *input)
{
	const struct selfmon_live_header *const header = &input->header;

	if (header->header_size == SELFMON_LIVE_ROUND(sizeof(*header)) &&
	    header->facts_size == sizeof(header->facts[0]) &&
	    header->thread_size == sizeof(struct selfmon_thread_record) &&
	    header->node_size == sizeof(struct selfmon_node) &&
	    header->sampled_size == sizeof(struct selfmon_sampled) &&
	    header->open_size == sizeof(struct selfmon_visit) &&
	    header->entries == SELFMON_DEPTH_MAX + 1 &&
	    header->counters == SELFMON_MAX_COUNTERS &&
	    header->buckets == SELFMON_BUCKETS &&
	    header->rare == SELFMON_RARE_COUNT)
		return 0;
	return selfmon_live_wrong(
		input, offsetof(struct selfmon_live_header, header_size),
		"written by another build or for another machine (%.15s): its "
		"records have other sizes", header->machine);
}

static int check_extent(struct selfmon_live_input *input)
{
	const struct selfmon_live_header *const header = &input->header;
	const uint64_t at = offsetof(struct selfmon_live_header, used);

	if (header->used < header->header_size ||
	    header->used % SELFMON_LIVE_ALIGN)
		return selfmon_live_wrong(input, at, "invalid end of records");
	if (header->used > input->size)
		return selfmon_live_wrong(
			input, input->size,
			"truncated: it had %llu bytes of records",
			(unsigned long long)header->used);
	if (header->which > 2)
		return selfmon_live_wrong(
			input, offsetof(struct selfmon_live_header, which),
			"the header names an invalid copy of the facts");
	if (header->which == 0)
		return selfmon_live_wrong(
			input, offsetof(struct selfmon_live_header, which),
			"its process ended before the first facts were "
			"written");
	return 0;
}

/*
 * Reads the header, and repeats this if `which`, the number of the current copy
 * of the facts, changed meanwhile. After TRIES repetitions the last result is
 * used.
 */
static int read_header(struct selfmon_live_input *input)
{
	struct selfmon_live_header *const header = &input->header;
	const uint64_t at = offsetof(struct selfmon_live_header, which);
	uint64_t which = 0;
	int tries = TRIES, error;

	do {
		error = selfmon_live_get(input, at, &which, sizeof(which));
		if (!error)
			error = selfmon_live_get(input, 0, header,
						 sizeof(*header));
		if (!error && header->which == which)
			error = selfmon_live_get(input, at, &which,
						 sizeof(which));
	} while (!error && header->which != which && tries-- > 0);
	return error;
}

int selfmon_live_open(struct selfmon_live_input *input)
{
	const size_t kind = offsetof(struct selfmon_live_header, header_size);
	int error = selfmon_file_open(input->path, &input->file, &input->size);

	if (error == -EINVAL)
		return selfmon_live_fails(input, error, "no regular file");
	if (error)
		return selfmon_live_fails(input, error, "cannot be opened");
	if (input->size < kind)
		return selfmon_live_wrong(input, input->size,
					  input->size ? "too short for a live "
							"file of libselfmon"
						      : "empty");
	error = selfmon_live_get(input, 0, &input->header, kind);
	if (!error)
		error = check_kind(input);
	if (!error)
		error = read_header(input);
	if (!error)
		error = check_kind(input);
	if (!error)
		error = check_layout(input);
	return error ? error : check_extent(input);
}

void selfmon_live_close(struct selfmon_live_input *input)
{
	size_t i;

	for (i = 0; i < input->regions; i++)
		free(input->region[i]);
	for (i = 0; i < input->trees; i++)
		free(input->tree[i].gather.place);
	free(input->region);
	free(input->tree);
	free(input->off_cpu);
	free(input->slowest);
	selfmon_gather_free(&input->gather);
	selfmon_file_close(&input->file);
}
