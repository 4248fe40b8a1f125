/* SPDX-License-Identifier: MIT */
/* The PMUs in sysfs: their types, the fields of their config, their names. */
#ifndef SELFMON_EVENT_SYSFS_H
#define SELFMON_EVENT_SYSFS_H

#include "event/spec.h"
#include "event/suggest.h"

/* The folder of PMUs; tests set it to their own tree. */
extern const char *selfmon_sysfs_root;

/* Maximum length of a file under events/: terms as in a specification. */
#define SELFMON_PMU_EVENT_SIZE 512

/* Maximum length of the names listed in a message. */
#define SELFMON_PMU_LIST_SIZE 128

struct selfmon_pmu {
	char name[SELFMON_WORD_SIZE];
	uint32_t type;
	bool core;    /* counts what a thread does on its CPU */
	bool package; /* counts what a package does, for all programs */
};

/* Bits of config (word 0), config1, config2 or config3. */
struct selfmon_field {
	unsigned int word;
	unsigned int bits;
	uint8_t bit[64]; /* the position of each bit of a value, lowest first */
};

/*
 * Finds a PMU. Returns 0, -ENOENT if there is none of this name, -EINVAL if its
 * type cannot be parsed, or the error of reading it.
 */
int selfmon_pmu_find(struct selfmon_piece name, struct selfmon_pmu *pmu);

/* Reads the CPUs of a core PMU: "0-3,8". Returns 0 or -errno. */
int selfmon_pmu_cpus(const struct selfmon_pmu *pmu, char *list, size_t size);

/*
 * Finds the field of a term: a file under format/, or config, config1, config2,
 * config3 themselves. Returns 0, -ENOENT if there is no such term, -EINVAL if
 * its format cannot be parsed, -EOPNOTSUPP if it is in another word like
 * config4, or the error of reading it.
 */
int selfmon_pmu_field(const struct selfmon_pmu *pmu, struct selfmon_piece term,
		      struct selfmon_field *field);

/*
 * Returns true if part of a specification is a safe file name: it must not lead
 * to another folder.
 */
bool selfmon_pmu_is_file_name(struct selfmon_piece name);

/*
 * Returns true if a file under events/ can be an event. Other files there
 * describe how to print one (kernel, Documentation/ABI/testing/
 * sysfs-bus-event_source-devices-events).
 */
bool selfmon_pmu_is_event(struct selfmon_piece name);

/*
 * Reads the terms of a name under events/. Returns 0, -ENOENT if there is no
 * such name, or the error of reading it.
 */
int selfmon_pmu_event(const struct selfmon_pmu *pmu, struct selfmon_piece name,
		      char terms[SELFMON_PMU_EVENT_SIZE]);

/*
 * Returns an iterator over the names in a directory, which the caller opens and
 * closes.
 */
struct selfmon_directory;

#endif
