/* SPDX-License-Identifier: MIT */
/* Finds names in sysfs for messages: the nearest name, or a list of names. */
#ifndef SELFMON_EVENT_NAMES_H
#define SELFMON_EVENT_NAMES_H

#include "event/sysfs.h"

/* Returns true if there is a PMU of the CPU's cores. */
bool selfmon_pmu_any_core(void);
/*
 * Returns an iterator over the names in a directory. The caller opens and
 * closes the directory.
 */
struct selfmon_words selfmon_pmu_words(struct selfmon_directory *directory);
/*
 * Return the nearest name of a PMU, or of a term or event of a PMU. Return NULL
 * if no name is similar.
 */
const char *selfmon_pmu_suggest(struct selfmon_piece name,
				char nearest[SELFMON_WORD_SIZE]);
const char *selfmon_pmu_suggest_term(const struct selfmon_pmu *pmu,
				     struct selfmon_piece term,
				     char nearest[SELFMON_WORD_SIZE]);
/*
 * Write the names of all PMUs, or of all terms of a PMU, separated by commas in
 * alphabetical order. Names that do not fit are replaced by an ellipsis. If
 * there are no names, write "none".
 */
const char *selfmon_pmu_list(char list[SELFMON_PMU_LIST_SIZE]);
const char *selfmon_pmu_list_terms(const struct selfmon_pmu *pmu,
				   char list[SELFMON_PMU_LIST_SIZE]);

#endif
