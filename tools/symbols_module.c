/* SPDX-License-Identifier: MIT */
/*
 * Finds the file of a module: the one at the module's path, if it has the build
 * id in the report; otherwise debugging information that is installed for this
 * build id. Paths come from the report, so only regular files are read.
 */
#define _GNU_SOURCE
#include "symbols_module.h"

#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define DEBUG_FOLDER "/usr/lib/debug/.build-id"

static int open_regular(const char *path, const char **why)
{
	const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct stat status;

	if (fd < 0) {
		*why = strerror(errno);
		return -1;
	}
	if (!fstat(fd, &status) && S_ISREG(status.st_mode))
		return fd;
	*why = "not a regular file";
	close(fd);
	return -1;
}

static struct symbols_elf *open_path(const char *path, const char **why)
{
	const int fd = open_regular(path, why);
	struct symbols_elf *elf;

	if (fd < 0)
		return NULL;
	elf = symbols_elf_open(path, fd);
	if (!elf)
		*why = "not an ELF file";
	return elf;
}

/*
 * Opens the vdso of this process, an ELF file that the kernel maps into each
 * process. The section headers are at the end of the file, so they give its
 * size.
 */
static struct symbols_elf *open_vdso(void)
{
	const char *const image = (const char *)getauxval(AT_SYSINFO_EHDR);
	const ElfW(Ehdr) *const header = (const void *)image;
	const size_t size =
		image ? header->e_shoff +
				(size_t)header->e_shnum * header->e_shentsize
		      : 0;
	const int fd = size ? memfd_create("vdso", MFD_CLOEXEC) : -1;

	if (fd < 0)
		return NULL;
	if (write(fd, image, size) == (ssize_t)size)
		return symbols_elf_open("[vdso]", fd);
	close(fd);
	return NULL;
}

/*
 * Returns true if the file has this build id, or if the report has no build id.
 */
static bool is_that_build(struct symbols_elf *elf, const char *build_id,
			  char found[SYMBOLS_BUILD_ID_SIZE])
{
	symbols_elf_build_id(elf, found);
	return !*build_id || !strcmp(build_id, found);
}

static struct symbols_elf *open_by_build_id(const char *build_id)
{
	char path[sizeof(DEBUG_FOLDER) + SYMBOLS_BUILD_ID_SIZE + 16];
	char found[SYMBOLS_BUILD_ID_SIZE];
	struct symbols_elf *elf;
	const char *why;

	if (strlen(build_id) < 4 || strlen(build_id) >= SYMBOLS_BUILD_ID_SIZE)
		return NULL;
	snprintf(path, sizeof(path), DEBUG_FOLDER "/%.2s/%s.debug", build_id,
		 build_id + 2);
	elf = open_path(path, &why);
	if (elf && !is_that_build(elf, build_id, found)) {
		symbols_elf_close(elf);
		elf = NULL;
	}
	return elf;
}

__attribute__((format(printf, 2, 3))) static void set(char **why,
						      const char *format, ...)
{
	va_list values;

	va_start(values, format);
	if (vasprintf(why, format, values) < 0)
		*why = NULL;
	va_end(values);
}

static struct symbols_elf *take_vdso(const char *build_id, char **why)
{
	struct symbols_elf *const elf = open_vdso();
	char found[SYMBOLS_BUILD_ID_SIZE];

	if (elf && *build_id && is_that_build(elf, build_id, found))
		return elf;
	set(why, "code of a kernel, which is not the one that runs here");
	symbols_elf_close(elf);
	return NULL;
}

static struct symbols_elf *take_file(const struct selfmon_sampled_module *of,
				     char **why)
{
	char found[SYMBOLS_BUILD_ID_SIZE];
	const char *reason = "";
	struct symbols_elf *const elf = open_path(of->path, &reason);
	struct symbols_elf *other;

	if (elf && is_that_build(elf, of->build_id, found))
		return elf;
	other = open_by_build_id(of->build_id);
	if (!other && elf)
		set(why, "changed since: its build id is %.16s, that of the "
			 "report %.16s", *found ? found : "none", of->build_id);
	else if (!other)
		set(why, "%s", reason);
	symbols_elf_close(elf);
	return other;
}

struct symbols_elf *symbols_module_open(const struct selfmon_sampled_module *of,
					char **why)
{
	if (!symbols_elf_exists()) {
		set(why, SYMBOLS_WITHOUT);
		return NULL;
	}
	return strcmp(of->path, "[vdso]") ? take_file(of, why)
					  : take_vdso(of->build_id, why);
}
