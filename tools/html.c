/* SPDX-License-Identifier: MIT */
/*
 * Writes the page: a template and the data, JSON in a script element that is
 * not executed. In it `<` is written as \u003c, which JSON reads the same way,
 * so no name can end the element.
 */
#define _GNU_SOURCE
#include "html.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "compare.h"

#define MARKER "@DATA@"

/* html_page.S */
extern const char tool_html_page[];
extern const uint64_t tool_html_page_size;

static void put_safe(const char *json, size_t size, FILE *to)
{
	while (size) {
		const char *const bracket = memchr(json, '<', size);
		const size_t n = bracket ? (size_t)(bracket - json) : size;

		fwrite(json, 1, n, to);
		if (!bracket)
			return;
		fputs("\\u003c", to);
		json += n + 1;
		size -= n + 1;
	}
}

static int put_report(const struct selfmon_report *report, FILE *to)
{
	char *text = NULL;
	size_t size = 0;
	FILE *memory;
	int error;

	if (!report) {
		fputs("null", to);
		return 0;
	}
	memory = open_memstream(&text, &size);
	if (!memory)
		return -ENOMEM;
	error = selfmon_report_write(report, SELFMON_JSON, memory);
	if (fclose(memory) || error)
		error = -ENOMEM;
	else
		put_safe(text, size, to);
	free(text);
	return error;
}

static int put_compare(const struct compare *compare, FILE *to)
{
	char *text = NULL;
	size_t size = 0;
	FILE *memory;

	if (!compare) {
		fputs("null", to);
		return 0;
	}
	memory = open_memstream(&text, &size);
	if (!memory)
		return -ENOMEM;
	compare_json(compare, memory);
	if (fclose(memory)) {
		free(text);
		return -ENOMEM;
	}
	put_safe(text, size, to);
	free(text);
	return 0;
}

int html_write(const struct selfmon_report *a, const struct selfmon_report *b,
	       const struct compare *compare, FILE *to)
{
	const size_t size = (size_t)tool_html_page_size;
	const char *const marker =
		memmem(tool_html_page, size, MARKER, strlen(MARKER));
	const char *const rest = marker + strlen(MARKER);
	int error;

	fwrite(tool_html_page, 1, (size_t)(marker - tool_html_page), to);
	fputs("{\"a\": ", to);
	error = put_report(a, to);
	fputs(",\n\"b\": ", to);
	if (!error)
		error = put_report(b, to);
	fputs(",\n\"compare\": ", to);
	if (!error)
		error = put_compare(compare, to);
	fputs("}", to);
	fwrite(rest, 1, size - (size_t)(rest - tool_html_page), to);
	return error;
}
