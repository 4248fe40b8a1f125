/* SPDX-License-Identifier: MIT */
#include "report_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "report/live_open.h"
#include "report_json.h"
#include "store/live.h"
#include "tool.h"

#define TEXT_MAX ((size_t)1 << 30)
#define PART 65536

/*
 * Reads a whole stream and adds a terminating 0. Returns NULL and sets errno on
 * failure.
 */
static char *read_all(FILE *stream, size_t *size)
{
	char *text = NULL, *longer;
	size_t room = 0;

	*size = 0;
	do {
		if (room - *size < PART) {
			room = room * 2 + 2 * PART;
			longer = room > TEXT_MAX ? NULL : realloc(text, room);
			if (!longer) {
				free(text);
				errno = ENOMEM;
				return NULL;
			}
			text = longer;
		}
		*size += fread(text + *size, 1, PART - 1, stream);
	} while (!feof(stream) && !ferror(stream));
	if (ferror(stream)) {
		free(text);
		return NULL;
	}
	text[*size] = '\0';
	return text;
}

static int open_live(struct report_file *file)
{
	struct selfmon_failure failure;
	int error;

	if (file->threads)
		error = selfmon_report_open_apart(file->path, &file->report,
						  &failure);
	else
		error = selfmon_report_open(file->path, &file->report,
					    &failure);
	if (error)
		return tool_fail("report", "%s", failure.message);
	return 0;
}

static int open_json(struct report_file *file, FILE *stream)
{
#ifdef TOOL_HAVE_JANSSON
	size_t size;
	char *const text = read_all(stream, &size);
	int status;

	if (!text)
		return tool_fail("report", "%s: cannot be read: %s", file->path,
				 strerror(errno));
	status = report_json_read(file, text, size);
	free(text);
	return status;
#else
	(void)stream;
	(void)read_all;
	return tool_fail("report", "%s: this selfmon was built without "
			 "libjansson and cannot read JSON: install "
			 "libjansson-dev and rebuild it", file->path);
#endif
}

static int open_neither(struct report_file *file, int error, const char *why)
{
	if (error)
		why = strerror(error);
	return tool_fail("report", "%s: neither a live file nor a report in "
			 "JSON%s%s", file->path, *why ? ": " : "", why);
}

/*
 * Returns true if the stream begins like a live file. A live file is opened
 * again by its name, so the bytes read here may be lost.
 */
static bool begins_as_live(FILE *stream, int first)
{
	static const char magic[] = SELFMON_LIVE_MAGIC;
	const char *at = magic;

	for (; *at && first == *at; at++)
		first = getc(stream);
	return !*at;
}

static int open_stream(struct report_file *file, FILE *stream)
{
	int first = getc(stream);

	if (begins_as_live(stream, first))
		return open_live(file);
	while (first == ' ' || first == '\t' || first == '\r' ||
	       first == '\n')
		first = getc(stream);
	if (first == '{') {
		ungetc(first, stream);
		return open_json(file, stream);
	}
	return open_neither(file, ferror(stream) ? errno : 0,
			    first == EOF ? "it is empty" : "");
}

/*
 * Returns true if the path names a descriptor that the user passed to this
 * program, such as a pipe.
 */
static bool is_given(const char *path)
{
	return !strcmp(path, "/dev/stdin") ||
	       !strncmp(path, "/dev/fd/", strlen("/dev/fd/")) ||
	       !strncmp(path, "/proc/self/fd/", strlen("/proc/self/fd/"));
}

/*
 * Refuses anything but a regular file or a descriptor that the user passed.
 * Clears O_NONBLOCK, which is set only during open(2): opening a FIFO without a
 * writer would block.
 */
static int open_file(struct report_file *file, int fd)
{
	struct stat status;
	FILE *stream;
	int error;

	if (fstat(fd, &status) || S_ISDIR(status.st_mode) ||
	    !(S_ISREG(status.st_mode) || is_given(file->path))) {
		close(fd);
		return open_neither(file, S_ISDIR(status.st_mode) ? EISDIR : 0,
				    "it is not a regular file");
	}
	fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) & ~O_NONBLOCK);
	stream = fdopen(fd, "r");
	if (!stream) {
		close(fd);
		return tool_fail("report", "%s: no memory", file->path);
	}
	error = open_stream(file, stream);
	fclose(stream);
	return error;
}

int report_file_open(struct report_file *file, const char *path, bool threads)
{
	const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);

	*file = (struct report_file){ .path = path, .threads = threads };
	return fd < 0 ? open_live(file) /* reports why not */
		      : open_file(file, fd);
}

void report_file_close(struct report_file *file)
{
	size_t i;

	selfmon_report_free(file->report);
	for (i = 0; i < file->texts; i++)
		free(file->text[i]);
	free(file->text);
	*file = (struct report_file){ .path = file->path };
}
