/* SPDX-License-Identifier: MIT */
/* Checks reports against docs/report.schema.json by tests/tools/schema.py. */
#ifndef SELFMON_TESTS_SCHEMA_H
#define SELFMON_TESTS_SCHEMA_H

#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum schema_answer { SCHEMA_ALLOWS, SCHEMA_REFUSES, SCHEMA_NO_VALIDATOR };

/* Checks the reports in a file. option is "" or "--refuses" (see schema.py). */
static inline enum schema_answer schema_check(const char *option,
					      const char *path)
{
	char command[512];
	int status;

	if (access("tests/tools/schema.py", R_OK))
		return SCHEMA_NO_VALIDATOR;
	snprintf(command, sizeof(command),
		 "python3 tests/tools/schema.py %s %s >/dev/null", option,
		 path);
	status = system(command);
	if (!WIFEXITED(status))
		return SCHEMA_REFUSES;
	if (WEXITSTATUS(status) == 77 || WEXITSTATUS(status) == 127)
		return SCHEMA_NO_VALIDATOR;
	return WEXITSTATUS(status) == 0 ? SCHEMA_ALLOWS : SCHEMA_REFUSES;
}

#endif
