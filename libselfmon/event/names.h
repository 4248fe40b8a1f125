/* SPDX-License-Identifier: MIT */
/* Names in sysfs for messages: the nearest name, or a list of them. */
#ifndef SELFMON_EVENT_NAMES_H
#define SELFMON_EVENT_NAMES_H

#include "event/sysfs.h"

/* Returns true if there is a PMU of the CPU's cores. */
bool selfmon_pmu_any_core(void);
struct selfmon_words selfmon_pmu_words(struct selfmon_directory *directory);
/*
 * Return the nearest PMU, or the nearest term or event of a PMU; NULL if none
 * is near.
 */
const char *selfmon_pmu_suggest(struct selfmon_piece name,
				char nearest[SELFMON_WORD_SIZE]);
const char *selfmon_pmu_suggest_term(const struct selfmon_pmu *pmu,
				     struct selfmon_piece term,
				     char nearest[SELFMON_WORD_SIZE]);
/*
 * Write all PMUs, or all terms of a PMU, in alphabetical order and with commas.
 * Names that do not fit become an ellipsis; without names it is "none".
 */
const char *selfmon_pmu_list(char list[SELFMON_PMU_LIST_SIZE]);
const char *selfmon_pmu_list_terms(const struct selfmon_pmu *pmu,
				   char list[SELFMON_PMU_LIST_SIZE]);

#endif
