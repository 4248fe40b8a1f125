/* SPDX-License-Identifier: MIT */
/*
 * Writes the page: a template, and the data as JSON in a script element that is
 * not executed. In the data `<` is written as \u003c, which means the same in
 * JSON, so no name can end the element.
 */
#define _GNU_SOURCE
#include "html.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "compare_export.h"
#include "html_hot.h"
#include "report/model.h"
#include "report/samples.h"

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

/* Leaves out the call stacks: html_hot.c writes the functions instead. */
static int write_report(const void *of, FILE *to)
{
	const struct selfmon_report *const report = of;
	struct selfmon_samples without;
	struct selfmon_report slim;

	if (!report) {
		fputs("null", to);
		return 0;
	}
	slim = *report;
	if (slim.samples) {
		without = *slim.samples;
		without.stacks = 0;
		slim.samples = &without;
	}
	return selfmon_report_write(&slim, SELFMON_JSON, to);
}

static int write_hot(const void *report, FILE *to)
{
	return html_hot(report, to);
}

static int write_compare(const void *compare, FILE *to)
{
	if (compare)
		compare_json(compare, to);
	else
		fputs("null", to);
	return 0;
}

static int put(const char *key, int (*write)(const void *of, FILE *to),
	       const void *of, FILE *to)
{
	char *text = NULL;
	size_t size = 0;
	FILE *const memory = open_memstream(&text, &size);
	int error;

	if (!memory)
		return -ENOMEM;
	error = write(of, memory);
	if (fclose(memory) || error)
		error = -ENOMEM;
	fprintf(to, "\"%s\": ", key);
	if (!error)
		put_safe(text, size, to);
	free(text);
	return error;
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
	fputs("{", to);
	error = put("a", write_report, a, to);
	fputs(",\n", to);
	error = error ? error : put("b", write_report, b, to);
	fputs(",\n", to);
	error = error ? error : put("compare", write_compare, compare, to);
	fputs(",\n", to);
	error = error ? error : put("hot", write_hot, a, to);
	fputs(",\n", to);
	error = error ? error : put("hot_b", write_hot, b, to);
	fputs("}", to);
	fwrite(rest, 1, size - (size_t)(rest - tool_html_page), to);
	return error;
}
