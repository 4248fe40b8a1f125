/* SPDX-License-Identifier: MIT */
/* The PMUs of sysfs: their types, the fields of their config, their names. */
#ifndef SELFMON_EVENT_SYSFS_H
#define SELFMON_EVENT_SYSFS_H

#include "event/spec.h"
#include "event/suggest.h"

/* Where PMUs are looked up; tests point it at a tree of their own. */
extern const char *selfmon_sysfs_root;

/* The text of a file under events/: terms as in a specification. */
#define SELFMON_PMU_EVENT_SIZE 512

/* Names listed in a message. */
#define SELFMON_PMU_LIST_SIZE 128

struct selfmon_pmu {
	char name[SELFMON_WORD_SIZE];
	uint32_t type;
	bool core;    /* counts what a thread does on its CPU */
	bool package; /* counts what a package does, whoever does it */
};

/* Is there a PMU of the CPU's cores? */
bool selfmon_pmu_any_core(void);

/* Bits of config (word 0), config1, config2 or config3. */
struct selfmon_field {
	unsigned int word;
	unsigned int bits;
	uint8_t bit[64]; /* where each bit of a value goes, lowest first */
};

/*
 * Finds a PMU. -ENOENT: there is none of this name; -EINVAL: its type cannot
 * be understood; else what reading failed with.
 */
int selfmon_pmu_find(struct selfmon_piece name, struct selfmon_pmu *pmu);

/* Reads which CPUs a core's PMU is of: "0-3,8". 0 or -errno. */
int selfmon_pmu_cpus(const struct selfmon_pmu *pmu, char *list, size_t size);

/*
 * Finds the field of a term: a file under format/, or config, config1, config2,
 * config3 themselves. -ENOENT: no such term; -EINVAL: its format cannot be
 * understood; -EOPNOTSUPP: it lies in another word, as config4; else what
 * reading failed with.
 */
int selfmon_pmu_field(const struct selfmon_pmu *pmu, struct selfmon_piece term,
		      struct selfmon_field *field);

/* A part of a path as it comes from a specification: may not lead elsewhere. */
bool selfmon_pmu_is_file_name(struct selfmon_piece name);

/*
 * Whether a file under events/ can be an event: beside an event lie files on
 * how to print it (kernel, Documentation/ABI/testing/
 * sysfs-bus-event_source-devices-events).
 */
bool selfmon_pmu_is_event(struct selfmon_piece name);

/*
 * Reads what a name under events/ stands for. -ENOENT: no such name; else
 * what reading failed with.
 */
int selfmon_pmu_event(const struct selfmon_pmu *pmu, struct selfmon_piece name,
		      char terms[SELFMON_PMU_EVENT_SIZE]);

/* An iterator over the names in a directory, to be opened and closed by you. */
struct selfmon_directory;
struct selfmon_words selfmon_pmu_words(struct selfmon_directory *directory);

/* The nearest PMU; the nearest term or event of a PMU; NULL: none is near. */
const char *selfmon_pmu_suggest(struct selfmon_piece name,
				char nearest[SELFMON_WORD_SIZE]);
const char *selfmon_pmu_suggest_term(const struct selfmon_pmu *pmu,
				     struct selfmon_piece term,
				     char nearest[SELFMON_WORD_SIZE]);

/*
 * All PMUs; all terms of a PMU: in the order of the alphabet, with commas,
 * an ellipsis where they do not fit, "none" where there are none.
 */
const char *selfmon_pmu_list(char list[SELFMON_PMU_LIST_SIZE]);
const char *selfmon_pmu_list_terms(const struct selfmon_pmu *pmu,
				   char list[SELFMON_PMU_LIST_SIZE]);

#endif
