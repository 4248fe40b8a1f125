/* SPDX-License-Identifier: MIT */
/* Tests JSON: it is always valid, and nothing is lost. */
#include <ctype.h>
#include <math.h>

#include "platform/escape.h"
#include "unit/test_report_model.h"
#include "unit/test_report_python.h"

TestSuite(report_json, .fini = model_free);

/* ---- strict RFC 8259 reader: returns the text after a value -------- */

static const char *value(const char *s);

static const char *space(const char *s)
{
	return s + strspn(s, " \t\r\n");
}

static const char *string(const char *s)
{
	if (*s++ != '"')
		return NULL;
	for (; *s != '"'; s++) {
		if ((unsigned char)*s < 0x20)
			return NULL;
		if (*s != '\\')
			continue;
		if (*++s == 'u') {
			if (strspn(s + 1, "0123456789abcdefABCDEF") < 4)
				return NULL;
			s += 4;
		} else if (!*s || !strchr("\"\\/bfnrt", *s)) {
			return NULL;
		}
	}
	return s + 1;
}

static const char *number(const char *s)
{
	s += *s == '-';
	if (!isdigit((unsigned char)*s) ||
	    (*s == '0' && isdigit((unsigned char)s[1])))
		return NULL;
	s += strspn(s, "0123456789");
	if (*s == '.') {
		if (!isdigit((unsigned char)*++s))
			return NULL;
		s += strspn(s, "0123456789");
	}
	if (*s == 'e' || *s == 'E') {
		s++;
		s += *s == '-' || *s == '+';
		if (!isdigit((unsigned char)*s))
			return NULL;
		s += strspn(s, "0123456789");
	}
	return s;
}

static const char *members(const char *s, bool keys, char end)
{
	s = space(s + 1);
	if (*s == end)
		return s + 1;
	for (;;) {
		if (keys) {
			s = string(s);
			s = s ? space(s) : NULL;
			if (!s || *s++ != ':')
				return NULL;
		}
		s = value(s);
		s = s ? space(s) : NULL;
		if (!s || *s == end)
			return s ? s + 1 : NULL;
		if (*s != ',')
			return NULL;
		s = space(s + 1);
	}
}

static const char *value(const char *s)
{
	static const char *const word[] = { "null", "true", "false" };
	size_t i;

	s = space(s);
	for (i = 0; i < 3; i++)
		if (!strncmp(s, word[i], strlen(word[i])))
			return s + strlen(word[i]);
	if (*s == '{')
		return members(s, true, '}');
	if (*s == '[')
		return members(s, false, ']');
	return *s == '"' ? string(s) : number(s);
}

static char *json_of(const struct selfmon_report *report)
{
	char *text = model_written(report, SELFMON_JSON);
	const char *rest = value(text);

	cr_assert(rest && !*space(rest), "not valid: %.200s", text);
	cr_assert(selfmon_utf8_valid(text));
	return text;
}

#define HAS(text, part) cr_assert_not_null(strstr(text, part), "%s", text)
#define LACKS(text, part) cr_assert_null(strstr(text, part), "%s", text)

Test(report_json, names_its_schema_and_version)
{
	HAS(json_of(model_time()),
	    "{\n  \"schema\": \"selfmon-report\",\n  \"version\": 1,");
}

Test(report_json, writes_values_and_verdicts)
{
	const char *text = json_of(model_counters());

	HAS(text, "\"name\": \"cycles\", \"verdict\": \"exact\"");
	HAS(text, "\"id\": 1, \"parent\": 0, \"depth\": 1, \"name\": "
		  "\"split\"");
	HAS(text, "\"sum\": 612000003");
	HAS(text, "\"parent\": null");
}

Test(report_json, writes_null_for_what_was_not_counted)
{
	struct selfmon_report *report = model_make(1);
	struct selfmon_row *row = model_row(report, -1, "a", 2, 100, 100);
	const char *text;

	model_column(report, "cycles", SELFMON_NOT_COUNTED);
	row->exclusive_valid = false;
	report->calibrated = false;
	text = json_of(report);
	HAS(text, "\"counters\": [{\"verdict\": \"not counted\", \"visits\": 0,"
		  " \"sum\": null");
	HAS(text, "\"net_exclusive\": null");
	HAS(text, "\"calibration\": null");
}

Test(report_json, writes_no_nan_and_the_largest_integers)
{
	struct selfmon_report *report = model_make(1);
	struct selfmon_row *row = model_row(report, -1, "a", 2, 100, 100);
	const char *text;

	row->time.net = (double)NAN;
	row->time.noise = (double)-INFINITY;
	row->time.sum = UINT64_MAX;
	row->time.exclusive = INT64_MIN;
	report->inner_ns = (double)INFINITY;
	text = json_of(report);
	HAS(text, "\"net\": null");
	HAS(text, "\"sum\": 18446744073709551615");
	HAS(text, "\"exclusive\": -9223372036854775808");
	LACKS(text, "nan");
	LACKS(text, "inf,");
}

Test(report_json, stays_valid_with_hostile_names)
{
	const char *text = json_of(model_hostile());

	HAS(text, "\"name\": \"\xef\xbf\xbd\", \"name_hex\": \"ff\"");
	HAS(text, "\"name\": \"\\u0001\", \"file\"");
}

Test(report_json, stays_valid_with_200_levels_and_10000_rows)
{
	struct selfmon_report *report = model_make(10000);
	int i;

	for (i = 0; i < 10000; i++)
		model_row(report, i < 200 ? i - 1 : 0, "r", 1, 100, 100);
	json_of(report);
}

Test(report_json, python_reads_every_name_back)
{
	const struct selfmon_report *report = model_hostile();
	char *said = python_reads(
		json_of(report),
		"import json\n"
		"def bad(word): raise ValueError(word)\n"
		"for row in json.loads(data.decode(), parse_constant=bad)"
		"[\"rows\"]:\n"
		"  print(row.get(\"name_hex\", row[\"name\"].encode().hex()))");

	cr_assert_str_eq(said, python_names(report));
}
