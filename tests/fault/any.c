/* SPDX-License-Identifier: MIT */
/*
 * Makes the library's allocations, file operations, and calls for thread-specific
 * data (pthread_key_create and others) fail (ld --wrap, tests.mk), and counts
 * what is allocated and not released.
 */
#define _GNU_SOURCE
#include "fault/any.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/types.h>

#include "fault/kernel_faults.h"
#include "platform/create.h"
#include "platform/directory.h"
#include "platform/file.h"
#include "platform/kernel.h"
#include "store/memory.h"
#include "store/process.h"

#define POINTERS 256

struct any_held any_held;

bool any_stays(size_t size)
{
	return size == sizeof(uint32_t) || size == 4096 ||
	       size == sizeof(struct selfmon_process) || size >= 1 << 20;
}

static void *pointer[POINTERS]; /* allocated memory */
static struct {
	FILE *stream;
	char **text;
} memory_stream;

static void *hold(void *memory)
{
	size_t i = 0;

	while (memory && i < POINTERS && pointer[i])
		i++;
	if (memory && i < POINTERS) {
		pointer[i] = memory;
		any_held.pieces++;
	}
	return memory;
}

static void let_go(const void *memory)
{
	size_t i;

	for (i = 0; memory && i < POINTERS; i++) {
		if (pointer[i] != memory)
			continue;
		pointer[i] = NULL;
		any_held.pieces--;
		return;
	}
}

/* Returns true if this call must fail, and sets errno like the C library. */
static bool fails(const char *name)
{
	const int error = kernel_faults_any(name);

	if (error)
		errno = -error;
	return error != 0;
}

/*
 * Declares the functions for ld --wrap, and begins the definition of the
 * replacement. `name` is the function that the library calls.
 */
#define WRAP(type, name, ...)                                                  \
	type __real_##name(__VA_ARGS__);                                       \
	type __wrap_##name(__VA_ARGS__);                                       \
	type __wrap_##name(__VA_ARGS__)

WRAP(void *, calloc, size_t n, size_t size)
{
	return fails("calloc") ? NULL : hold(__real_calloc(n, size));
}

WRAP(void *, realloc, void *memory, size_t size)
{
	if (fails("realloc"))
		return NULL;
	let_go(memory);
	return hold(__real_realloc(memory, size));
}

WRAP(void, free, void *memory)
{
	let_go(memory);
	__real_free(memory);
}

WRAP(FILE *, open_memstream, char **text, size_t *size)
{
	if (fails("open_memstream"))
		return NULL;
	memory_stream.text = text;
	memory_stream.stream = __real_open_memstream(text, size);
	return memory_stream.stream;
}

WRAP(int, fclose, FILE *stream)
{
	const bool failed = fails("fclose");
	const int result = __real_fclose(stream);

	if (stream == memory_stream.stream) {
		memory_stream.stream = NULL;
		hold(*memory_stream.text);
	}
	if (failed)
		errno = kernel_faults.any.error;
	return failed ? EOF : result;
}

WRAP(FILE *, fdopen, int fd, const char *mode)
{
	return fails("fdopen") ? NULL : __real_fdopen(fd, mode);
}

WRAP(size_t, fwrite, const void *from, size_t size, size_t n, FILE *to)
{
	if (to != memory_stream.stream && fails("fwrite"))
		return 0;
	return __real_fwrite(from, size, n, to);
}

/*
 * The library's key, which is created after a test has requested failures. A
 * sanitizer's runtime creates its key earlier.
 */
static pthread_key_t own_key = (pthread_key_t)-1;

WRAP(int, pthread_key_create, pthread_key_t *key, void (*end)(void *))
{
	int error;

	if (fails("pthread_key_create"))
		return EAGAIN;
	error = __real_pthread_key_create(key, end);
	if (!error && kernel_faults.any.from)
		own_key = *key;
	return error;
}

WRAP(int, pthread_setspecific, pthread_key_t key, const void *value)
{
	return key == own_key && fails("pthread_setspecific")
		       ? ENOMEM
		       : __real_pthread_setspecific(key, value);
}

WRAP(int, selfmon_create_write, const char *path, const char *text, size_t size)
{
	const int error = kernel_faults_any("create_write");

	return error ? error : __real_selfmon_create_write(path, text, size);
}

WRAP(int, selfmon_file_create, const char *path, const char *magic,
     struct selfmon_file *file)
{
	const int error = kernel_faults_any("file_create");

	return error ? error : __real_selfmon_file_create(path, magic, file);
}

WRAP(int, selfmon_file_grow, const struct selfmon_file *file, uint64_t from,
     size_t size, void **map)
{
	const int error = kernel_faults_any("file_grow");

	return error ? error
		     : __real_selfmon_file_grow(file, from, size, map);
}

WRAP(int, selfmon_file_open, const char *path, struct selfmon_file *file,
     uint64_t *size)
{
	const int error = kernel_faults_any("file_open");

	return error ? error : __real_selfmon_file_open(path, file, size);
}

WRAP(ssize_t, selfmon_file_read, const struct selfmon_file *file,
     uint64_t offset, void *buffer, size_t size)
{
	const int error = kernel_faults_any("file_read");

	return error ? error
		     : __real_selfmon_file_read(file, offset, buffer, size);
}

WRAP(void *, malloc, size_t size)
{
	return fails("malloc") ? NULL : hold(__real_malloc(size));
}

/*
 * Allocates from memory that is already mapped, so any_stays() does not see it.
 */
WRAP(void *, selfmon_memory_kept, size_t size)
{
	return kernel_faults_any("memory_kept")
		       ? NULL
		       : __real_selfmon_memory_kept(size);
}

WRAP(void *, selfmon_memory_wiped, size_t size)
{
	return kernel_faults_any("memory_wiped")
		       ? NULL
		       : __real_selfmon_memory_wiped(size);
}

WRAP(void *, selfmon_memory_wiped_at, size_t offset, size_t size)
{
	return kernel_faults_any("memory_wiped_at")
		       ? NULL
		       : __real_selfmon_memory_wiped_at(offset, size);
}

WRAP(int, selfmon_directory_open, const char *path,
     struct selfmon_directory *directory)
{
	const int error = kernel_faults_any("directory_open");

	if (error)
		directory->fd_plus_1 = 0;
	return error ? error
		     : __real_selfmon_directory_open(path, directory);
}

WRAP(void, selfmon_kernel_unmap_memory, void *memory, size_t size)
{
	if (!any_stays(size))
		any_held.bytes -= size;
	__real_selfmon_kernel_unmap_memory(memory, size);
}
