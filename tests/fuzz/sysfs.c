/* SPDX-License-Identifier: MIT */
/*
 * Simulates sysfs and tracefs with arbitrary files.
 *
 * The input is a specification, then pairs of a path below the root and the
 * content of this file, each up to a zero byte. The functions that read files
 * and directories are replaced (ld --wrap), and find only these files. If a
 * path occurs several times, the file's content changes: the number of reads
 * of all files so far selects one of the contents.
 */
#include <errno.h>
#include <string.h>

#include <selfmon/event.h>

#include "event/sysfs.h"
#include "event/tracepoint.h"
#include "fuzz/fuzz.h"
#include "platform/directory.h"
#include "platform/kernel.h"

#define FILES 64
#define ROOT "root"
#define TRACEFS "tracing" /* below ROOT */

static struct {
	const char *path, *text;
} file[FILES];
static size_t files;
static size_t reads;

/*
 * Returns the content of a path below the root, or NULL if there is no such
 * file.
 */
static const char *find(const char *path)
{
	const char *found[FILES];
	size_t count = 0, i;

	for (i = 0; i < files; i++)
		if (!strcmp(file[i].path, path))
			found[count++] = file[i].text;
	return count ? found[reads++ % count] : NULL;
}

ssize_t __wrap_selfmon_kernel_read_file(const char *path, char *buffer,
					size_t size);

ssize_t __wrap_selfmon_kernel_read_file(const char *path, char *buffer,
					size_t size)
{
	const char *text;
	size_t length;

	FUZZ_ASSERT(!strncmp(path, ROOT "/", strlen(ROOT) + 1));
	FUZZ_ASSERT(!strstr(path, "/../"));
	text = find(path + strlen(ROOT) + 1);
	if (!text)
		return -ENOENT;
	length = strlen(text);
	if (length >= size) {
		memcpy(buffer, text, size);
		return -EFBIG;
	}
	memcpy(buffer, text, length + 1);
	while (length > 0 && buffer[length - 1] == '\n')
		buffer[--length] = '\0';
	return (ssize_t)length;
}

/* An open directory: its path, and the index of the next file to check. */
struct folder {
	size_t next;
	char path[512];
};

int __wrap_selfmon_directory_open(const char *path,
				  struct selfmon_directory *directory);
bool __wrap_selfmon_directory_next(struct selfmon_directory *directory,
				   char *name, size_t size);
void __wrap_selfmon_directory_close(struct selfmon_directory *directory);

/*
 * Returns true if a file is below this path, which is then a directory. The
 * root always exists.
 */
static bool is_folder(const struct folder *folder)
{
	const size_t length = strlen(folder->path);
	size_t i;

	for (i = 0; i < files; i++)
		if (!strncmp(file[i].path, folder->path, length))
			return true;
	return length == 0;
}

int __wrap_selfmon_directory_open(const char *path,
				  struct selfmon_directory *directory)
{
	struct folder *folder = calloc(1, sizeof(*folder));
	size_t length;

	FUZZ_ASSERT(!strncmp(path, ROOT, strlen(ROOT)) && folder);
	path += strlen(ROOT);
	path += *path == '/';
	length = strlen(path);
	snprintf(folder->path, sizeof(folder->path), "%s%s", path,
		 length && path[length - 1] != '/' ? "/" : "");
	directory->fd_plus_1 = 0;
	if (!is_folder(folder)) {
		free(folder);
		return -ENOENT;
	}
	directory->fd_plus_1 = 1;
	directory->entry[0] = (uintptr_t)folder;
	return 0;
}

static struct folder *folder_of(const struct selfmon_directory *directory)
{
	return directory->fd_plus_1 ? (void *)(uintptr_t)directory->entry[0]
				    : NULL;
}

/*
 * Like the real function, skips names that begin with a dot, and truncates
 * names that do not fit.
 */
bool __wrap_selfmon_directory_next(struct selfmon_directory *directory,
				   char *name, size_t size)
{
	struct folder *const folder = folder_of(directory);

	while (folder && folder->next < files) {
		const char *const path = file[folder->next++].path;
		const size_t length = strlen(folder->path);

		if (strncmp(path, folder->path, length) ||
		    path[length] == '.' || path[length] == '/' ||
		    path[length] == '\0')
			continue;
		snprintf(name, size, "%.*s", (int)strcspn(path + length, "/"),
			 path + length);
		return true;
	}
	return false;
}

void __wrap_selfmon_directory_close(struct selfmon_directory *directory)
{
	free(folder_of(directory));
	directory->fd_plus_1 = 0;
}

static void split(const char *text, const char *end)
{
	for (files = reads = 0; text < end && files < FILES; files++) {
		file[files].path = text;
		text += strlen(text) + 1;
		file[files].text = text < end ? text : "";
		if (text < end)
			text += strlen(text) + 1;
	}
}

static void check(const char *spec)
{
	struct selfmon_failure failure;
	struct selfmon_events events;
	int result;
	size_t i;

	memset(&failure, 0xa5, sizeof(failure));
	result = selfmon_events_parse(spec, &events, &failure);
	FUZZ_ASSERT(result != 0 && result <= SELFMON_MAX_COUNTERS);
	if (result > 0)
		return;
	FUZZ_ASSERT(failure.error == -result);
	FUZZ_ASSERT(memchr(failure.message, 0, sizeof(failure.message)));
	for (i = 0; failure.message[i]; i++)
		FUZZ_ASSERT((unsigned char)failure.message[i] >= ' ' &&
			    failure.message[i] != 0x7f);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const tracefs[] = { ROOT "/" TRACEFS, NULL };
	char *const input = malloc(size + 2);

	if (!input)
		return 0;
	if (size)
		memcpy(input, data, size);
	input[size] = input[size + 1] = '\0';
	selfmon_sysfs_root = ROOT;
	selfmon_tracefs_roots = tracefs;
	split(input + strlen(input) + 1, input + size);
	check(input);
	free(input);
	return 0;
}
