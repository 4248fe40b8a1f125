/* SPDX-License-Identifier: MIT */
/*
 * Finds the line at which a value in a JSON text begins. The parser keeps no
 * positions, so this walks the text, which the parser has accepted, a second
 * time to report a fault.
 */
#ifndef SELFMON_TOOLS_JSON_LINE_H
#define SELFMON_TOOLS_JSON_LINE_H

#include "json_in.h"

/* Returns the line of the value at these steps from the root. */
size_t json_line(const char *text, const struct json_in_step *step,
		 size_t depth);

#endif
