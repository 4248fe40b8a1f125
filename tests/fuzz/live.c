/* SPDX-License-Identifier: MIT */
/*
 * Uses the input as a live file: the result must be a report that can be
 * written, or a failure.
 *
 * If the first byte is 0, the rest is a whole file. Otherwise the rest is a
 * list of changes to a real file, which a child of this program writes before
 * the first input. Each change has 4 bytes for the place, 1 byte for the
 * length, and the new bytes. The low 16 bits of the place are an offset in a
 * part of the file. The high 16 bits are the number of the part. If the length
 * has its top bit set, the new bytes are zeros, and not in the input. If the
 * first byte is 0x7f, the file also ends where the last change begins.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <selfmon.h>

#include "fuzz/fuzz.h"
#include "report/write.h"
#include "store/live.h"

#define PLACES 64
#define CUT 0x7f

static char *real;          /* the file as written */
static size_t real_size;
static char *map;           /* copy of the file, which is then changed */
static int changed;
static size_t place[PLACES];
static size_t places;

static void visit(int depth)
{
	SELFMON_REGION("visited")
	{
		if (depth > 0)
			visit(depth - 1);
	}
}

/* Writes the file in another process, so that this one has no regions. */
static void write_file(const char *path)
{
	struct selfmon_report *report;
	struct selfmon_frame frame;
	int i;

	setenv("SELFMON_LIVE", path, 1);
	setenv("SELFMON_EVENTS", "page-faults,task-clock", 1);
	for (i = 0; i < 5; i++)
		visit(2);
	selfmon_report_take(&report);
	selfmon_enter(selfmon_region("open"), &frame);
	_exit(0);
}

static void find_places(void)
{
	const struct selfmon_live_header *const header = (const void *)real;
	uint64_t offset = header->header_size;

	place[places++] = 0;
	place[places++] = offsetof(struct selfmon_live_header, used);
	place[places++] = offsetof(struct selfmon_live_header, facts[0]);
	place[places++] = offsetof(struct selfmon_live_header, facts[1]);
	place[places++] = offsetof(struct selfmon_live_header,
				   facts[0].calibration.done);
	place[places++] = offsetof(struct selfmon_live_header,
				   facts[1].calibration.done);
	while (offset < header->used && places < PLACES) {
		const struct selfmon_record *const record =
			(const void *)(real + offset);

		place[places++] = offset;
		offset += record->size;
	}
}

static void load(const char *path)
{
	const int fd = open(path, O_RDONLY);
	struct selfmon_live_header header;

	FUZZ_ASSERT(fd >= 0);
	FUZZ_ASSERT(read(fd, &header, sizeof(header)) == sizeof(header));
	real_size = (size_t)header.used;
	real = mmap(NULL, real_size, PROT_READ, MAP_PRIVATE, fd, 0);
	FUZZ_ASSERT(real != MAP_FAILED);
	close(fd);
	changed = memfd_create("live", 0);
	FUZZ_ASSERT(changed >= 0 && !ftruncate(changed, (off_t)real_size));
	map = mmap(NULL, real_size, PROT_READ | PROT_WRITE, MAP_SHARED, changed,
		   0);
	FUZZ_ASSERT(map != MAP_FAILED);
	memcpy(map, real, real_size);
}

static void prepare(void)
{
	char path[] = "/tmp/selfmon-fuzz-XXXXXX";
	int fd = mkstemp(path), status;
	pid_t child;

	FUZZ_ASSERT(fd >= 0);
	close(fd);
	child = fork();
	if (child == 0)
		write_file(path);
	FUZZ_ASSERT(waitpid(child, &status, 0) == child && status == 0);
	load(path);
	unlink(path);
	find_places();
}

static void look(int fd)
{
	struct selfmon_failure failure;
	struct selfmon_report *report;
	char path[64], *text;
	size_t size;
	FILE *stream;
	int format;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	memset(&failure, 0xa5, sizeof(failure));
	if (selfmon_report_open(path, &report, &failure)) {
		FUZZ_ASSERT(!report && failure.error && failure.message[0]);
		FUZZ_ASSERT(memchr(failure.message, 0,
				   sizeof(failure.message)));
		return;
	}
	for (format = SELFMON_TEXT; format < SELFMON_FORMATS; format++) {
		stream = open_memstream(&text, &size);
		FUZZ_ASSERT(stream);
		FUZZ_ASSERT(!selfmon_report_write(
			report, (enum selfmon_format)format, stream));
		fclose(stream);
		free(text);
	}
	selfmon_report_free(report);
}

static void whole_file(const uint8_t *data, size_t size)
{
	const int fd = memfd_create("any", 0);

	FUZZ_ASSERT(fd >= 0);
	FUZZ_ASSERT(write(fd, data, size) == (ssize_t)size);
	look(fd);
	close(fd);
}

/*
 * Applies one change, and returns the number of input bytes that it used. The
 * caller restores the bytes of the file from *at to *end.
 */
static size_t change(const uint8_t *data, size_t size, size_t *at, size_t *end)
{
	const size_t length = data[4] & 0x7f;
	uint32_t where;

	memcpy(&where, data, sizeof(where));
	*at = (place[(where >> 16) % places] + (where & 0xffff)) % real_size;
	*end = *at + length < real_size ? *at + length : real_size;
	if (data[4] & 0x80) {
		memset(map + *at, 0, *end - *at);
		return 5;
	}
	if (length > size - 5)
		*end = *at + (size - 5) < *end ? *at + (size - 5) : *end;
	memcpy(map + *at, data + 5, *end - *at);
	return 5 + (length < size - 5 ? length : size - 5);
}

#define CHANGES 64

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	size_t at[CHANGES], end[CHANGES], n = 0, used = 1;

	if (!places)
		prepare();
	if (!size)
		return 0;
	if (data[0] == 0) {
		whole_file(data + 1, size - 1);
		return 0;
	}
	for (; n < CHANGES && used + 5 <= size; n++)
		used += change(data + used, size - used, &at[n], &end[n]);
	if (data[0] == CUT && n)
		FUZZ_ASSERT(!ftruncate(changed, (off_t)at[n - 1]));
	look(changed);
	if (data[0] == CUT && n)
		FUZZ_ASSERT(!ftruncate(changed, (off_t)real_size));
	if (data[0] == CUT && n)
		memcpy(map + at[n - 1], real + at[n - 1],
		       real_size - at[n - 1]);
	while (n-- > 0)
		memcpy(map + at[n], real + at[n], end[n] - at[n]);
	return 0;
}
