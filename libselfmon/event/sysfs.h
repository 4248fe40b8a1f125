/* SPDX-License-Identifier: MIT */
/*
 * Reads the PMUs in sysfs: their types, the fields of their configs, and the
 * names of their events.
 */
#ifndef SELFMON_EVENT_SYSFS_H
#define SELFMON_EVENT_SYSFS_H

#include "event/spec.h"
#include "event/suggest.h"

/* The directory of the PMUs. Tests set it to a directory of their own. */
extern const char *selfmon_sysfs_root;

/*
 * Maximum size of a file under events/, which contains terms such as
 * event=0xc0,umask=1.
 */
#define SELFMON_PMU_EVENT_SIZE 512

/* Maximum size of a list of names in a message. */
#define SELFMON_PMU_LIST_SIZE 128

struct selfmon_pmu {
	char name[SELFMON_WORD_SIZE];
	uint32_t type;
	bool core;    /* a PMU of CPU cores: counts for one thread */
	bool package; /* counts for a whole package, all programs */
};

/* The bits of a field in config (word 0), config1, config2 or config3. */
struct selfmon_field {
	unsigned int word;
	unsigned int bits;
	/*
	 * The position in the config word of each bit of the value, lowest bit
	 * first.
	 */
	uint8_t bit[64];
};

/*
 * Finds a PMU. Returns 0, -ENOENT if no PMU has this name, -EINVAL if its type
 * cannot be parsed, or the error of reading its type.
 */
int selfmon_pmu_find(struct selfmon_piece name, struct selfmon_pmu *pmu);

/*
 * Reads the list of CPUs of a core PMU, such as "0-3,8". Returns 0 or -errno.
 */
int selfmon_pmu_cpus(const struct selfmon_pmu *pmu, char *list, size_t size);

/*
 * Finds the bits of a term: described by a file under format/, or config,
 * config1, config2 or config3 as a whole. Returns 0, -ENOENT if there is no
 * such term, -EINVAL if its format cannot be parsed, -EOPNOTSUPP if it belongs
 * to another word such as config4, or the error of reading the file.
 */
int selfmon_pmu_field(const struct selfmon_pmu *pmu, struct selfmon_piece term,
		      struct selfmon_field *field);

/*
 * Returns true if a part of a specification is safe as a file name: it cannot
 * lead to another directory.
 */
bool selfmon_pmu_is_file_name(struct selfmon_piece name);

/*
 * Returns true if a file of this name under events/ may be an event. Other
 * files there, such as NAME.unit, describe how to print the event NAME (kernel,
 * Documentation/ABI/testing/sysfs-bus-event_source-devices-events).
 */
bool selfmon_pmu_is_event(struct selfmon_piece name);

/*
 * Reads the terms of an event under events/. Returns 0, -ENOENT if there is no
 * such event, or the error of reading its file.
 */
int selfmon_pmu_event(const struct selfmon_pmu *pmu, struct selfmon_piece name,
		      char terms[SELFMON_PMU_EVENT_SIZE]);

struct selfmon_directory;

#endif
