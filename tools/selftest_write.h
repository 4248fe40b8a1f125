/* SPDX-License-Identifier: MIT */
/*
 * Writes a self test as JSON: docs/selftest.schema.json. Does not use a JSON
 * library.
 */
#ifndef SELFMON_TOOLS_SELFTEST_WRITE_H
#define SELFMON_TOOLS_SELFTEST_WRITE_H

#include "selftest.h"

void selftest_write(const struct selftest_result *result, FILE *stream);

#endif
