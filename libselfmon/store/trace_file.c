/* SPDX-License-Identifier: MIT */
/* Writes the file of a trace. Called by one thread at a time. */
#define _GNU_SOURCE
#include "store/trace_file.h"

#include <errno.h>
#include <string.h>

#include "platform/kernel.h"
#include "store/name.h"

/* Longer names and file names are truncated to this many bytes. */
#define NAME_MAX_BYTES 4000

/*
 * In memory that fork() copies: a forked child finds its parent's file here and
 * closes it.
 */
static struct selfmon_file trace_file;
static uint64_t trace_file_size;

static int trace_append(const void *bytes, size_t size)
{
	trace_file_size += size;
	return selfmon_file_append(&trace_file, bytes, size);
}

int selfmon_trace_file_begin(const char *path)
{
	struct selfmon_trace_header header = {
		.order = SELFMON_TRACE_ORDER,
		.version = SELFMON_TRACE_VERSION,
		.header_size = sizeof(header),
		.pid = (int32_t)selfmon_kernel_pid(),
	};
	int error = selfmon_file_create_log(path, SELFMON_TRACE_MAGIC,
					    &trace_file);

	if (error)
		return error;
	memcpy(header.magic, SELFMON_TRACE_MAGIC, sizeof(header.magic));
	strncpy(header.program, program_invocation_short_name,
		sizeof(header.program) - 1);
	trace_file_size = 0;
	error = trace_append(&header, sizeof(header));
	if (error)
		selfmon_file_close(&trace_file);
	return error;
}

int selfmon_trace_file_add(const void *block)
{
	const struct selfmon_trace_block *const head = block;

	return trace_append(block, head->size);
}

uint64_t selfmon_trace_file_size(void)
{
	return trace_file_size;
}

static size_t length_of(const char *text)
{
	const size_t length = strlen(text);

	return length < NAME_MAX_BYTES ? length : NAME_MAX_BYTES;
}

int selfmon_trace_file_add_region(const struct selfmon_region *region)
{
	static struct {
		struct selfmon_trace_region region;
		char text[2 * (NAME_MAX_BYTES + 1) + 7];
	} block;
	const size_t name = length_of(region->site.name),
		     file = length_of(region->site.file);
	size_t size = sizeof(block.region) + name + 1 + file + 1;

	memset(&block, 0, sizeof(block));
	size = (size + 7) & ~(size_t)7;
	block.region.block = (struct selfmon_trace_block){
		SELFMON_TRACE_REGION, (uint32_t)size
	};
	block.region.id = region->site.id;
	block.region.line = region->site.line;
	block.region.name_length = (uint32_t)name;
	block.region.file_length = (uint32_t)file;
	memcpy(block.text, region->site.name, name);
	memcpy(block.text + name + 1, region->site.file, file);
	return selfmon_trace_file_add(&block);
}

void selfmon_trace_file_end(void)
{
	selfmon_file_close(&trace_file);
}

void selfmon_trace_file_forked(void)
{
	selfmon_file_close(&trace_file);
}
