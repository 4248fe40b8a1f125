/* SPDX-License-Identifier: MIT */
/*
 * selfmon list --plan SPEC: shows which events are counted together on this
 * machine.
 */
#ifndef SELFMON_TOOLS_LIST_PLAN_H
#define SELFMON_TOOLS_LIST_PLAN_H

#include "list.h"

/*
 * Opens the events of a specification, and prints their groups. Returns the
 * exit status.
 */
int list_plan(const char *spec, FILE *stream);

#endif
