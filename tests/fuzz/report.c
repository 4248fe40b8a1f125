/* SPDX-License-Identifier: MIT */
/*
 * Uses the input as names in a report: JSON must be valid, CSV must contain the
 * names without formulas, and no format may have bytes that control a terminal.
 *
 * The input is a series of strings, each up to a zero byte: the program, a
 * message, an event, then a name and a file for each row. The length of the
 * file's name selects the row's parent. If there is a message, the report has
 * samples; if there is an event, it has threads; if there is a second row, it
 * has a detached span.
 */
#include <stdbool.h>
#include <string.h>

#include "fuzz/fuzz.h"
#include "platform/escape.h"
#include "report/async_rows.h"
#include "report/model.h"
#include "report/samples.h"
#include "report/write.h"

#define ROWS 40

static const char *next(const char **at, const char *end)
{
	const char *const text = *at;

	if (text >= end)
		return "";
	*at += strlen(text) + 1;
	return text;
}

static void copy(char *to, size_t size, const char *from)
{
	snprintf(to, size, "%s", from);
}

static void make_row(struct selfmon_report *report, const char *name,
		     const char *file)
{
	struct selfmon_row *const row = &report->row[report->rows];
	const size_t up = strlen(file) % (report->rows + 1);

	row->name = name;
	row->file = file;
	row->line = (uint32_t)strlen(name);
	row->parent = (int32_t)up - 1;
	row->depth = up ? report->row[up - 1].depth + 1 : 0;
	row->visits = row->measured = 1;
	row->time.verdict = SELFMON_EXACT;
	row->time.visits = 1;
	row->time.net = 1e3 * (double)strlen(name);
	row->counter[0].verdict = up % 2 ? SELFMON_EXACT : SELFMON_NOT_COUNTED;
	report->rows++;
}

/*
 * Makes samples. The name of the column is the name of their event. The message
 * is the path of their module.
 */
static void make_samples(struct selfmon_report *report)
{
	struct selfmon_samples *const samples = calloc(1, sizeof(*samples));

	FUZZ_ASSERT(samples);
	report->samples = samples;
	report->stacks = true;
	copy(samples->event, sizeof(samples->event), report->column[0].name);
	samples->period = samples->taken = samples->outside = 1;
	samples->module = calloc(1, sizeof(*samples->module));
	samples->stack = calloc(1, sizeof(*samples->stack));
	samples->address = calloc(1, sizeof(*samples->address));
	FUZZ_ASSERT(samples->module && samples->stack && samples->address);
	samples->modules = samples->stacks = samples->addresses = 1;
	samples->module->path = strdup(report->note[0]);
	samples->module->build_id = strdup("");
	FUZZ_ASSERT(samples->module->path && samples->module->build_id);
	samples->address->module = samples->module->path;
	samples->address->build_id = samples->module->build_id;
	samples->stack->row = -1;
	samples->stack->count = samples->stack->depth = 1;
	samples->stack->address = samples->address;
}

/* Makes a detached span with the names of the last row. */
static void make_span(struct selfmon_report *report)
{
	struct selfmon_report *const spans = malloc(sizeof(*spans));
	const struct selfmon_row *const row = &report->row[report->rows - 1];

	FUZZ_ASSERT(spans);
	selfmon_report_begin_async(spans, report);
	spans->row = calloc(ROWS, sizeof(*spans->row));
	FUZZ_ASSERT(spans->row);
	report->async = spans;
	make_row(spans, row->name, "");
	spans->row->file = row->file;
}

/* Converts top-level rows to threads. */
static void make_threads(struct selfmon_report *report)
{
	size_t i;

	report->detail = calloc(ROWS, sizeof(*report->detail));
	FUZZ_ASSERT(report->detail);
	for (i = 0; i < report->rows; i++)
		if (report->row[i].parent < 0)
			report->detail[i].thread =
				(struct selfmon_gathered_thread){
					.tid = 1, .threads = 1
				};
}

static void make(struct selfmon_report *report, const char *at, const char *end)
{
	struct selfmon_report_column *const column = &report->column[0];

	copy(report->program, sizeof(report->program), next(&at, end));
	copy(report->note[0], sizeof(report->note[0]), next(&at, end));
	report->notes = report->note[0][0] != '\0';
	copy(column->name, sizeof(column->name), next(&at, end));
	column->verdict = SELFMON_EXACT;
	report->columns = column->name[0] != '\0';
	report->every = 1;
	report->total_ns = 1e6;
	while (at < end && report->rows < ROWS) {
		const char *const name = next(&at, end);

		make_row(report, name, next(&at, end));
	}
	if (report->notes)
		make_samples(report);
	if (report->rows > 1)
		make_span(report);
	if (report->columns)
		make_threads(report);
}

/* ---- JSON, RFC 8259 ------------------------------------------------------ */

static const char *json_value(const char *s, int depth);

static const char *json_space(const char *s)
{
	return s + strspn(s, " \t\r\n");
}

static const char *json_string(const char *s)
{
	uint32_t code;

	FUZZ_ASSERT(*s == '"');
	for (s++; *s != '"'; ) {
		const size_t length = selfmon_utf8_decode(s, &code);

		FUZZ_ASSERT(length && code >= 0x20);
		s += length;
		if (code != '\\')
			continue;
		FUZZ_ASSERT(*s && strchr("\"\\/bfnrtu", *s));
		if (*s++ == 'u') {
			FUZZ_ASSERT(strspn(s, "0123456789abcdefABCDEF") >= 4);
			s += 4;
		}
	}
	return s + 1;
}

static const char *json_number(const char *s)
{
	const char *const digits = s + (*s == '-');
	char *end;

	FUZZ_ASSERT(*digits >= '0' && *digits <= '9');
	strtod(s, &end);
	return end;
}

/* Parses the members of an object, or the elements of an array. */
static const char *json_list(const char *s, char end, int depth)
{
	s = json_space(s + 1);
	if (*s == end)
		return s + 1;
	for (;;) {
		if (end == '}') {
			s = json_space(json_string(json_space(s)));
			FUZZ_ASSERT(*s == ':');
			s++;
		}
		s = json_space(json_value(json_space(s), depth + 1));
		if (*s == end)
			return s + 1;
		FUZZ_ASSERT(*s == ',');
		s++;
	}
}

static const char *json_value(const char *s, int depth)
{
	static const char *const word[] = { "true", "false", "null" };
	size_t i;

	FUZZ_ASSERT(depth < 100);
	for (i = 0; i < 3; i++)
		if (!strncmp(s, word[i], strlen(word[i])))
			return s + strlen(word[i]);
	if (*s == '{')
		return json_list(s, '}', depth);
	if (*s == '[')
		return json_list(s, ']', depth);
	return *s == '"' ? json_string(s) : json_number(s);
}

/* ---- CSV, RFC 4180 ------------------------------------------------------- */

static char csv_byte(const char *hex)
{
	const char digits[] = { hex[0], hex[1], '\0' };

	FUZZ_ASSERT(strspn(digits, "0123456789ABCDEF") == 2);
	return (char)strtoul(digits, NULL, 16);
}

/* Reverts the escaping of names (docs/REPORT.md), in place. */
static void csv_name(char *text)
{
	const char *s = text;

	FUZZ_ASSERT(!*s || !strchr("=+-@", *s));
	for (s += *s == '\''; *s; s++) {
		if (s[0] == '\\' && s[1] == 'x') {
			*text++ = csv_byte(s + 2);
			s += 3;
			continue;
		}
		s += *s == '\\';
		*text++ = *s;
	}
	*text = '\0';
}

/*
 * Copies the content of a field, without quotes, to text. Returns the position
 * after the field.
 */
static const char *csv_field(const char *s, char *text)
{
	if (*s != '"') {
		for (; *s && !strchr(",\r", *s); s++) {
			FUZZ_ASSERT(*s != '"' && *s != '\n');
			*text++ = *s;
		}
		*text = '\0';
		return s;
	}
	for (s++; *s != '"' || s[1] == '"'; s++) {
		FUZZ_ASSERT(*s);
		s += *s == '"';
		*text++ = *s;
	}
	*text = '\0';
	return s + 1;
}

static size_t csv_line(const char **at, char *text, const char *const *want)
{
	const char *s = *at;
	size_t field = 0;

	for (;;) {
		s = csv_field(s, text);
		if (want && field < 5 && want[field]) {
			csv_name(text);
			FUZZ_ASSERT(!strcmp(text, want[field]));
		}
		field++;
		if (*s != ',')
			break;
		s++;
	}
	FUZZ_ASSERT(s[0] == '\r' && s[1] == '\n');
	*at = s + 2;
	return field;
}

static void check_csv_rows(const struct selfmon_report *report, size_t fields,
			   const char **s, char *text)
{
	size_t i;

	for (i = 0; i < report->rows; i++) {
		const char *const want[5] = { NULL, report->row[i].name, NULL,
					      NULL, report->row[i].file };

		FUZZ_ASSERT(csv_line(s, text, want) == fields);
	}
}

/* Checks the lines. The lines of spans follow the lines of regions. */
static void check_csv(const struct selfmon_report *report, const char *s)
{
	char *const text = malloc(strlen(s) + 1);
	size_t fields;

	FUZZ_ASSERT(text);
	fields = csv_line(&s, text, NULL);
	check_csv_rows(report, fields, &s, text);
	if (report->async)
		check_csv_rows(report->async, fields, &s, text);
	FUZZ_ASSERT(*s == '\0');
	free(text);
}

/* ---- any format ---------------------------------------------------------- */

static void check_harmless(const char *s, bool lines_end_in_cr)
{
	uint32_t code;

	while (*s) {
		const size_t length = selfmon_utf8_decode(s, &code);

		FUZZ_ASSERT(length);
		FUZZ_ASSERT(code >= ' ' || code == '\n' ||
			    (lines_end_in_cr && code == '\r' && s[1] == '\n'));
		FUZZ_ASSERT(code < 0x7f || code > 0x9f);
		FUZZ_ASSERT(code != 0x61c && code != 0xfeff);
		FUZZ_ASSERT(code < 0x200b || code > 0x200f);
		FUZZ_ASSERT(code < 0x2028 || code > 0x202e);
		FUZZ_ASSERT(code < 0x2060 || code > 0x2069);
		s += length;
	}
}

static void write_all(const struct selfmon_report *report)
{
	int format;

	for (format = SELFMON_TEXT; format < SELFMON_FORMATS; format++) {
		char *text = NULL;
		size_t size = 0;
		FILE *stream = open_memstream(&text, &size);

		FUZZ_ASSERT(stream);
		FUZZ_ASSERT(!selfmon_report_write(
			report, (enum selfmon_format)format, stream));
		fclose(stream);
		FUZZ_ASSERT(strlen(text) == size);
		check_harmless(text, format == SELFMON_CSV);
		if (format == SELFMON_JSON)
			FUZZ_ASSERT(*json_space(json_value(text, 0)) == '\0');
		else if (format == SELFMON_CSV)
			check_csv(report, text);
		free(text);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct selfmon_report *const report = calloc(1, sizeof(*report));
	char *const input = malloc(size + 1);

	if (report && input)
		report->row = calloc(ROWS, sizeof(*report->row));
	if (report && report->row) {
		if (size)
			memcpy(input, data, size);
		input[size] = '\0';
		make(report, input, input + size);
		write_all(report);
	}
	selfmon_report_free(report);
	free(input);
	return 0;
}
