/* SPDX-License-Identifier: MIT */
/* For tests: reads a file with an independent reader, python3. */
#ifndef SELFMON_TESTS_REPORT_PYTHON_H
#define SELFMON_TESTS_REPORT_PYTHON_H

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "unit/test_report_model.h"

/*
 * Runs a script without single quotes, in which `data` holds the bytes of text.
 * Returns what it prints. Skips the test if there is no python3.
 */
static inline char *python_reads(const char *text, const char *script)
{
	char path[] = "/tmp/selfmon-test-XXXXXX", *said = NULL;
	char command[4096];
	size_t room = 0;
	FILE *stream;
	int fd;

	if (system("command -v python3 >/dev/null"))
		cr_skip_test("no python3 here");
	fd = mkstemp(path);
	cr_assert_geq(fd, 0);
	stream = fdopen(fd, "w");
	fputs(text, stream);
	fclose(stream);
	snprintf(command, sizeof(command),
		 "python3 -c 'data = open(\"%s\", \"rb\").read()\n%s'", path,
		 script);
	stream = popen(command, "r");
	cr_assert_not_null(stream);
	if (getdelim(&said, &room, '\0', stream) < 0)
		said = NULL;
	cr_assert_eq(pclose(stream), 0, "python3 does not accept it");
	unlink(path);
	cr_assert_not_null(said);
	return model_keep_text(said);
}

/*
 * Returns the names in hexadecimal, one in each line: what python must print.
 */
static inline char *python_names(const struct selfmon_report *report)
{
	char *text = NULL;
	size_t size = 0, i;
	FILE *stream = open_memstream(&text, &size);

	for (i = 0; i < report->rows; i++) {
		const char *s = report->row[i].name;

		for (; *s; s++)
			fprintf(stream, "%02x", (unsigned)(unsigned char)*s);
		putc('\n', stream);
	}
	fclose(stream);
	return model_keep_text(text);
}

#endif
