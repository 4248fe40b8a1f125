/* SPDX-License-Identifier: MIT */
#include "event/sysfs.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "platform/kernel.h"

#define PATH_SIZE 512
#define SMALL_FILE_SIZE 256

const char *selfmon_sysfs_root = "/sys/bus/event_source/devices";

bool selfmon_pmu_is_file_name(struct selfmon_piece name)
{
	size_t i;

	if (name.length == 0 || name.length > SELFMON_WORD_MAX ||
	    name.text[0] == '.')
		return false;
	for (i = 0; i < name.length; i++) {
		if (name.text[i] <= ' ' || name.text[i] > '~' ||
		    name.text[i] == '/')
			return false;
	}
	return true;
}

bool selfmon_pmu_is_event(struct selfmon_piece name)
{
	static const char *const endings[] = {".scale", ".unit", ".per-pkg",
					      ".snapshot"};
	size_t i;

	for (i = 0; i < sizeof(endings) / sizeof(endings[0]); i++) {
		const size_t n = strlen(endings[i]);

		if (name.length > n &&
		    memcmp(name.text + name.length - n, endings[i], n) == 0)
			return false;
	}
	return selfmon_pmu_is_file_name(name);
}

/* Reads the file root/pmu/folder/name. folder ends with a slash or is "". */
static int read_pmu_file(const char *pmu, const char *folder,
			 struct selfmon_piece name, char *buffer, size_t size)
{
	char path[PATH_SIZE];
	const int n = snprintf(path, sizeof(path), "%s/%s/%s%.*s",
			       selfmon_sysfs_root, pmu, folder,
			       (int)name.length, name.text);
	ssize_t length;

	if (n < 0 || (size_t)n >= sizeof(path))
		return -ENAMETOOLONG;
	length = selfmon_kernel_read_file(path, buffer, size);
	return length < 0 ? (int)length : 0;
}

static struct selfmon_piece piece_of(const char *text)
{
	const struct selfmon_piece piece = {
		.text = text,
		.length = strlen(text),
	};

	return piece;
}

static bool has_file(const char *pmu, const char *name)
{
	char text[4096]; /* a file in sysfs has at most one page */

	return read_pmu_file(pmu, "", piece_of(name), text, sizeof(text)) !=
	       -ENOENT;
}

int selfmon_pmu_find(struct selfmon_piece name, struct selfmon_pmu *pmu)
{
	char text[SMALL_FILE_SIZE];
	uint64_t type;
	int ret;

	if (!selfmon_pmu_is_file_name(name))
		return -ENOENT;
	snprintf(pmu->name, sizeof(pmu->name), "%.*s", (int)name.length,
		 name.text);
	ret = read_pmu_file(pmu->name, "", piece_of("type"), text,
			    sizeof(text));
	if (ret)
		return ret;
	if (selfmon_piece_number(piece_of(text), &type) || type > UINT32_MAX)
		return -EINVAL;
	pmu->type = (uint32_t)type;
	/*
	 * The core PMUs of hybrid machines and of ARM have a file "cpus"
	 * (arch/x86/events/intel/core.c and drivers/perf/arm_pmu.c). Uncore and
	 * power PMUs have a file "cpumask", which lists one CPU for each
	 * package.
	 */
	pmu->core = strcmp(pmu->name, "cpu") == 0 ||
		    has_file(pmu->name, "cpus");
	pmu->package = !pmu->core && has_file(pmu->name, "cpumask");
	return 0;
}

int selfmon_pmu_cpus(const struct selfmon_pmu *pmu, char *list, size_t size)
{
	return read_pmu_file(pmu->name, "", piece_of("cpus"), list, size);
}

/* Appends the bits of one range, such as "7" or "0-7", to the field. */
static int add_bits(struct selfmon_piece range, struct selfmon_field *field)
{
	struct selfmon_piece rest = range;
	struct selfmon_piece part;
	uint64_t low, high;
	const bool two = selfmon_piece_cut(&rest, '-', &part);

	if (selfmon_piece_number(part, &low) ||
	    selfmon_piece_number(two ? rest : part, &high))
		return -EINVAL;
	if (low > high || high > 63 || field->bits + (high - low + 1) > 64)
		return -EINVAL;
	for (; low <= high; low++)
		field->bit[field->bits++] = (uint8_t)low;
	return 0;
}

static int find_word(struct selfmon_piece name, unsigned int *word)
{
	static const char *const words[] = {"config", "config1", "config2",
					    "config3"};
	unsigned int i;

	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		if (strlen(words[i]) == name.length &&
		    memcmp(words[i], name.text, name.length) == 0) {
			*word = i;
			return 0;
		}
	}
	return -ENOENT;
}

/* Parses "config:0-7,32-35". */
static int parse_format(struct selfmon_piece format,
			struct selfmon_field *field)
{
	struct selfmon_piece part;
	bool more = selfmon_piece_cut(&format, ':', &part);
	int ret = 0;

	if (!more)
		return -EINVAL;
	if (find_word(part, &field->word))
		return -EOPNOTSUPP;
	field->bits = 0;
	while (more && !ret) {
		more = selfmon_piece_cut(&format, ',', &part);
		ret = add_bits(part, field);
	}
	return ret;
}

int selfmon_pmu_field(const struct selfmon_pmu *pmu, struct selfmon_piece term,
		      struct selfmon_field *field)
{
	char text[SMALL_FILE_SIZE];
	int ret;

	if (find_word(term, &field->word) == 0) {
		const struct selfmon_piece all = {.text = "0-63", .length = 4};

		field->bits = 0;
		return add_bits(all, field);
	}
	if (!selfmon_pmu_is_file_name(term))
		return -ENOENT;
	ret = read_pmu_file(pmu->name, "format/", term, text, sizeof(text));
	return ret ? ret : parse_format(piece_of(text), field);
}

int selfmon_pmu_event(const struct selfmon_pmu *pmu, struct selfmon_piece name,
		      char terms[SELFMON_PMU_EVENT_SIZE])
{
	if (!selfmon_pmu_is_event(name))
		return -ENOENT;
	return read_pmu_file(pmu->name, "events/", name, terms,
			     SELFMON_PMU_EVENT_SIZE);
}
