/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "platform/modules.h"

#include <elf.h>
#include <errno.h>
#include <limits.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

static char *own_path(void)
{
	char path[PATH_MAX];
	const ssize_t length =
		readlink("/proc/self/exe", path, sizeof(path) - 1);

	if (length < 0)
		return strdup("");
	path[length] = '\0';
	return strdup(path);
}

/* The program comes first in the loader's list, with an empty name. */
static char *path_of(const struct dl_phdr_info *info, bool first)
{
	const uint64_t vdso = getauxval(AT_SYSINFO_EHDR);

	if (vdso && info->dlpi_addr == vdso)
		return strdup("[vdso]");
	return first && !*info->dlpi_name ? own_path()
					  : strdup(info->dlpi_name);
}

/*
 * Finds the build id. A note is a header, a name and a description, each padded
 * to 4 bytes.
 */
static void find_build_id(const char *note, size_t size, char *to)
{
	while (size >= sizeof(ElfW(Nhdr))) {
		const ElfW(Nhdr) *const head = (const void *)note;
		const size_t name = (head->n_namesz + 3u) & ~3u;
		const size_t data = (head->n_descsz + 3u) & ~3u;
		const char *const id = note + sizeof(*head) + name;
		size_t i;

		if (name > size || data > size ||
		    sizeof(*head) + name + data > size)
			return;
		if (head->n_type == NT_GNU_BUILD_ID && head->n_namesz == 4 &&
		    !memcmp(note + sizeof(*head), "GNU", 4) &&
		    head->n_descsz <= 20) {
			for (i = 0; i < head->n_descsz; i++)
				sprintf(to + 2 * i, "%02x",
					(unsigned int)(unsigned char)id[i]);
			return;
		}
		note += sizeof(*head) + name + data;
		size -= sizeof(*head) + name + data;
	}
}

static void read_segments(const struct dl_phdr_info *info,
			  struct selfmon_module *module)
{
	uint16_t i;

	module->begin = UINT64_MAX;
	for (i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *const segment = &info->dlpi_phdr[i];
		const uint64_t begin = info->dlpi_addr + segment->p_vaddr;
		const uint64_t end = begin + segment->p_memsz;

		if (segment->p_type == PT_NOTE)
			find_build_id((const char *)(uintptr_t)begin,
				      segment->p_memsz, module->build_id);
		if (segment->p_type != PT_LOAD || !(segment->p_flags & PF_X))
			continue;
		if (begin < module->begin)
			module->begin = begin;
		if (end > module->end)
			module->end = end;
	}
}

static bool module_room(struct selfmon_modules *modules)
{
	const size_t room = modules->room ? modules->room * 2 : 16;
	void *more;

	if (modules->count < modules->room)
		return true;
	more = realloc(modules->module, room * sizeof(*modules->module));
	if (!more)
		return false;
	modules->module = more;
	modules->room = room;
	return true;
}

static int add_module(struct dl_phdr_info *info, size_t size, void *context)
{
	struct selfmon_modules *const modules = context;
	struct selfmon_module module = { .bias = info->dlpi_addr };

	(void)size;
	read_segments(info, &module);
	if (module.begin >= module.end)
		return 0;
	if (!module_room(modules))
		return -ENOMEM;
	module.path = path_of(info, modules->count == 0);
	if (!module.path)
		return -ENOMEM;
	modules->module[modules->count++] = module;
	return 0;
}

static int modules_by_address(const void *a, const void *b)
{
	const struct selfmon_module *const x = a, *const y = b;

	return (x->begin > y->begin) - (x->begin < y->begin);
}

int selfmon_modules_find(struct selfmon_modules *modules)
{
	int error;

	memset(modules, 0, sizeof(*modules));
	error = dl_iterate_phdr(add_module, modules);
	if (modules->count)
		qsort(modules->module, modules->count, sizeof(*modules->module),
		      modules_by_address);
	return error;
}

void selfmon_modules_free(struct selfmon_modules *modules)
{
	size_t i;

	for (i = 0; i < modules->count; i++)
		free(modules->module[i].path);
	free(modules->module);
}

const struct selfmon_module *
selfmon_modules_at(const struct selfmon_modules *modules, uint64_t address)
{
	size_t low = 0, high = modules->count;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (modules->module[middle].end <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low < modules->count && modules->module[low].begin <= address
		       ? &modules->module[low]
		       : NULL;
}
