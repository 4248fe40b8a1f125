/* SPDX-License-Identifier: MIT */
/* Reads as little of an ELF file as finding one function takes. */
#define _GNU_SOURCE
#include "platform/elf.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "platform/cancel.h"
#include "platform/kernel.h"

#define SYMBOL_MAX 256
#define SYMBOLS 64 /* read at once */

#if UINTPTR_MAX > UINT32_MAX
#define CLASS ELFCLASS64
#define TYPE_OF ELF64_ST_TYPE
#else
#define CLASS ELFCLASS32
#define TYPE_OF ELF32_ST_TYPE
#endif

struct file {
	int fd;
	ElfW(Ehdr) head;
};

/* All of it, or -errno; -ENOEXEC where the file ends before. */
static int read_at(const struct file *file, void *to, size_t size,
		   uint64_t offset)
{
	size_t done = 0;

	while (done < size) {
		const ssize_t n = pread(file->fd, (char *)to + done,
					size - done, (off_t)(offset + done));

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n < 0 && errno != EINVAL ? -errno : -ENOEXEC;
		done += (size_t)n;
	}
	return 0;
}

static int open_file(const char *path, struct file *file)
{
	struct stat status;

	/* Devices are not opened: that alone may do something. */
	if (stat(path, &status))
		return -errno;
	if (!S_ISREG(status.st_mode))
		return -ENOEXEC;
	/* O_NONBLOCK: nor may one that has come in between wait. */
	file->fd = selfmon_kernel_open(path, O_RDONLY | O_NONBLOCK);
	if (file->fd < 0)
		return file->fd;
	return read_at(file, &file->head, sizeof(file->head), 0);
}

static int check_head(const ElfW(Ehdr) *head)
{
	if (memcmp(head->e_ident, ELFMAG, SELFMAG) ||
	    head->e_ident[EI_CLASS] != CLASS ||
	    head->e_ident[EI_DATA] != ELFDATA2LSB ||
	    head->e_shentsize != sizeof(ElfW(Shdr)) ||
	    head->e_phentsize != sizeof(ElfW(Phdr)))
		return -ENOEXEC;
	return 0;
}

static int read_section(const struct file *file, size_t i, ElfW(Shdr) *section)
{
	if (i >= file->head.e_shnum)
		return -ENOEXEC;
	return read_at(file, section, sizeof(*section),
		       file->head.e_shoff + i * sizeof(*section));
}

/* An address in memory becomes an offset in the file. */
static int locate(const struct file *file, uint64_t address, uint64_t *offset)
{
	ElfW(Phdr) segment;
	size_t i;
	int ret;

	for (i = 0; i < file->head.e_phnum; i++) {
		ret = read_at(file, &segment, sizeof(segment),
			      file->head.e_phoff + i * sizeof(segment));
		if (ret)
			return ret;
		if (segment.p_type == PT_LOAD && address >= segment.p_vaddr &&
		    address - segment.p_vaddr < segment.p_filesz) {
			*offset = address - segment.p_vaddr + segment.p_offset;
			return 0;
		}
	}
	return -ENOEXEC;
}

/* Is it this function's? 1, 0 or -errno. */
static int is_it(const struct file *file, const ElfW(Sym) *symbol,
		 const ElfW(Shdr) *names, const char *wanted)
{
	const size_t size = strlen(wanted) + 1;
	char name[SYMBOL_MAX];
	int ret;

	if (TYPE_OF(symbol->st_info) != STT_FUNC ||
	    symbol->st_shndx == SHN_UNDEF)
		return 0;
	if (symbol->st_name >= names->sh_size ||
	    names->sh_size - symbol->st_name < size)
		return 0;
	ret = read_at(file, name, size, names->sh_offset + symbol->st_name);
	return ret ? ret : memcmp(name, wanted, size) == 0;
}

/* In one table. 0, -ESRCH or -errno. */
static int find_in(const struct file *file, const ElfW(Shdr) *table,
		   const char *wanted, uint64_t *offset)
{
	const size_t count = table->sh_size / sizeof(ElfW(Sym));
	ElfW(Sym) symbol[SYMBOLS] = { { .st_name = 0 } };
	ElfW(Shdr) names;
	int ret = read_section(file, table->sh_link, &names);
	size_t i;

	for (i = 0; i < count && !ret; i++) {
		const size_t left = count - i < SYMBOLS ? count - i : SYMBOLS;

		if (i % SYMBOLS == 0)
			ret = read_at(file, symbol, left * sizeof(symbol[0]),
				      table->sh_offset + i * sizeof(symbol[0]));
		if (!ret)
			ret = is_it(file, &symbol[i % SYMBOLS], &names, wanted);
	}
	if (ret > 0)
		return locate(file, symbol[(i - 1) % SYMBOLS].st_value, offset);
	return ret ? ret : -ESRCH;
}

static int find_symbol(const struct file *file, const char *wanted,
		       uint64_t *offset)
{
	int ret = check_head(&file->head);
	ElfW(Shdr) section;
	size_t i;

	for (i = 0; !ret && i < file->head.e_shnum; i++) {
		ret = read_section(file, i, &section);
		if (ret || (section.sh_type != SHT_SYMTAB &&
			    section.sh_type != SHT_DYNSYM))
			continue;
		ret = find_in(file, &section, wanted, offset);
		if (ret != -ESRCH)
			return ret;
		ret = 0;
	}
	return ret ? ret : -ESRCH;
}

int selfmon_elf_offset(const char *path, const char *symbol, uint64_t *offset)
{
	const int before = errno;
	struct selfmon_cancel cancel;
	struct file file = { .fd = -1 };
	int ret;

	if (strlen(symbol) >= SYMBOL_MAX)
		return -ESRCH;
	selfmon_cancel_off(&cancel); /* pread(2) is a cancellation point */
	ret = open_file(path, &file);
	if (!ret)
		ret = find_symbol(&file, symbol, offset);
	if (file.fd >= 0)
		selfmon_kernel_close(file.fd);
	selfmon_cancel_restore(&cancel);
	errno = before;
	return ret;
}
