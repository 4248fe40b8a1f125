/* SPDX-License-Identifier: MIT */
/*
 * Finds the line at which a value in a JSON text begins, for error messages.
 * The parser does not store positions, so json_line() scans the text again. The
 * parser has already accepted the text as valid.
 */
#ifndef SELFMON_TOOLS_JSON_LINE_H
#define SELFMON_TOOLS_JSON_LINE_H

#include "json_in.h"

/*
 * Returns the line of the value that is reached by these steps from the root.
 */
size_t json_line(const char *text, const struct json_in_step *step,
		 size_t depth);

#endif
