/* SPDX-License-Identifier: MIT */
/* Finds, checks and opens the file of a module in a report. */
#ifndef SELFMON_TOOLS_SYMBOLS_MODULE_H
#define SELFMON_TOOLS_SYMBOLS_MODULE_H

#include "report/samples.h"
#include "symbols_elf.h"

/*
 * Opens the file of a module. Returns NULL with the reason, which the caller
 * frees.
 */
struct symbols_elf *symbols_module_open(const struct selfmon_sampled_module *of,
					char **why);

#endif
