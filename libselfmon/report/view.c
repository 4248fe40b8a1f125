/* SPDX-License-Identifier: MIT */
/* Parses the options of a view, such as "flat" and "top=20". */
#include "report/view.h"

#include <errno.h>
#include <regex.h>
#include <stdarg.h>
#include <string.h>

#include "event/suggest.h"
#include "report/apart.h"
#include "report/view_columns.h"

#define NUMBER_MOST 1000000u

static const char *const option_name[] = {
	"flat", "collapse", "threads", "depth", "min-share",
	"sort", "top",	    "columns", "find",	NULL,
};
#define SWITCHES 3 /* the first options are switches without a value */
static const char allowed[] =
	"flat, collapse, threads, depth=N, min-share=PERCENT, sort=COLUMN, "
	"top=N, columns=A+B and find=REGEX";

__attribute__((format(printf, 2, 3))) static int
unfit(char message[SELFMON_VIEW_MESSAGE_SIZE], const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(message, SELFMON_VIEW_MESSAGE_SIZE, format, arguments);
	va_end(arguments);
	return -EINVAL;
}

static int unknown_option(const char *option, size_t length,
			  char message[SELFMON_VIEW_MESSAGE_SIZE])
{
	struct selfmon_words known = selfmon_words_of(option_name);
	char nearest[SELFMON_WORD_SIZE];
	const bool near = selfmon_suggest(option, length, &known, nearest);

	return unfit(message, "unknown option '%.*s'%s%s%s; %s are allowed",
		     length < 64 ? (int)length : 64, option,
		     near ? " (did you mean '" : "", near ? nearest : "",
		     near ? "'?)" : "", allowed);
}

/*
 * Parses a percentage with a decimal point, in all locales. Sets *share to the
 * fraction: 1 for 100 %.
 */
static bool parse_share(const char *value, double *share)
{
	double number = 0, unit = 1;
	bool point = false, any = false;

	for (; (*value >= '0' && *value <= '9') || (*value == '.' && !point);
	     value++) {
		if (*value == '.') {
			point = true;
			continue;
		}
		any = true;
		unit = point ? unit / 10 : unit;
		number = point ? number + unit * (*value - '0')
			       : number * 10 + (*value - '0');
	}
	*share = number / 100;
	return any && (!*value || !strcmp(value, "%")) && number <= 100;
}

static bool parse_count(const char *value, uint32_t least, uint32_t *count)
{
	uint64_t number = 0;
	const char *digit = value;

	for (; *digit >= '0' && *digit <= '9' && number <= NUMBER_MOST; digit++)
		number = number * 10 + (uint64_t)(*digit - '0');
	*count = (uint32_t)number;
	return digit > value && !*digit && number >= least &&
	       number <= NUMBER_MOST;
}

static int set_count(const char *name, const char *value, uint32_t least,
		     uint32_t *to, char message[SELFMON_VIEW_MESSAGE_SIZE])
{
	uint32_t count;

	if (!parse_count(value, least, &count))
		return unfit(message, "%s=%.64s: %u to %u are allowed%s", name,
			     value, (unsigned int)least, NUMBER_MOST,
			     least ? "" : " (0: all)");
	*to = count;
	return 0;
}

static int set_share(const char *value, double *to,
		     char message[SELFMON_VIEW_MESSAGE_SIZE])
{
	double share;

	if (!parse_share(value, &share))
		return unfit(message,
			     "min-share=%.64s: 0 to 100 are allowed (percent "
			     "of the top level)",
			     value);
	*to = share;
	return 0;
}

static int set_words(const char *name, const char *value, char *to, size_t size,
		     char message[SELFMON_VIEW_MESSAGE_SIZE])
{
	if (!*value || strlen(value) >= size)
		return unfit(message, "%s=%.64s: 1 to %zu bytes are allowed",
			     name, value, size - 1);
	memcpy(to, value, strlen(value) + 1);
	return 0;
}

static int set_find(const char *value, char to[SELFMON_VIEW_FIND_SIZE],
		    char message[SELFMON_VIEW_MESSAGE_SIZE])
{
	char fault[128];
	regex_t regex;
	const int error = regcomp(&regex, value, REG_EXTENDED | REG_NOSUB);

	if (error) {
		regerror(error, &regex, fault, sizeof(fault));
		return unfit(message,
			     "find=%.64s: not a regular expression (regex(7)): "
			     "%s",
			     value, fault);
	}
	regfree(&regex);
	return set_words("find", value, to, SELFMON_VIEW_FIND_SIZE, message);
}

static int take_switch(const char *name, const char *value, bool *to,
		       char message[SELFMON_VIEW_MESSAGE_SIZE])
{
	if (value)
		return unfit(message, "%s=%.64s: %s takes no value", name,
			     value, name);
	*to = true;
	return 0;
}

static int set_value(struct selfmon_view *view, const char *name,
		     const char *value, char message[SELFMON_VIEW_MESSAGE_SIZE])
{
	int error;

	if (!strcmp(name, "depth"))
		return set_count(name, value, 1, &view->depth, message);
	if (!strcmp(name, "min-share"))
		return set_share(value, &view->min_share, message);
	if (!strcmp(name, "sort"))
		return set_words(name, value, view->sort, sizeof(view->sort),
				 message);
	if (!strcmp(name, "columns"))
		return set_words(name, value, view->columns,
				 sizeof(view->columns), message);
	if (!strcmp(name, "find"))
		return set_find(value, view->find, message);
	error = set_count(name, value, 0, &view->top, message);
	view->limited = view->limited || !error;
	return error;
}

int selfmon_view_option(struct selfmon_view *view, const char *option,
			size_t length, char message[SELFMON_VIEW_MESSAGE_SIZE])
{
	char text[SELFMON_VIEW_COLUMNS_SIZE + 64], *value;
	size_t i;

	if (length >= sizeof(text))
		return unfit(message, "%.64s...: longer than %zu bytes", option,
			     sizeof(text) - 1);
	memcpy(text, option, length);
	text[length] = '\0';
	value = strchr(text, '=');
	if (value)
		*value++ = '\0';
	for (i = 0; option_name[i]; i++)
		if (!strcmp(option_name[i], text))
			break;
	if (!option_name[i])
		return unknown_option(text, strlen(text), message);
	if (i < SWITCHES)
		return take_switch(text, value,
				   i == 0   ? &view->flat
				   : i == 1 ? &view->collapse
					    : &view->threads,
				   message);
	if (!value)
		return unfit(message,
			     "%s: its value is missing; %s are allowed",
			     text, allowed);
	return set_value(view, text, value, message);
}

/* ---- columns ------------------------------------------------------------ */

struct known_columns {
	const struct selfmon_report *report;
	struct selfmon_ratios ratios;
};

static bool next_column(struct selfmon_words *words, char *word, size_t size)
{
	const struct known_columns *const known = words->known;
	char name[SELFMON_METRIC_NAME_SIZE];

	if (!selfmon_view_column_name(known->report, &known->ratios,
				      words->index, name))
		return false;
	snprintf(word, size, "%s", name);
	words->index++;
	return true;
}

static bool is_known(const struct known_columns *known, const char *word,
		     size_t length)
{
	char name[SELFMON_METRIC_NAME_SIZE];
	size_t i;

	for (i = 0;
	     selfmon_view_column_name(known->report, &known->ratios, i, name);
	     i++)
		if (strlen(name) == length && !memcmp(name, word, length))
			return true;
	return false;
}

static int unknown_column(const struct known_columns *known, const char *option,
			  const char *word, size_t length,
			  char message[SELFMON_VIEW_MESSAGE_SIZE])
{
	struct selfmon_words words = { .next = next_column, .known = known };
	char nearest[SELFMON_WORD_SIZE], name[SELFMON_METRIC_NAME_SIZE];
	const bool near = selfmon_suggest(word, length, &words, nearest);
	size_t i, n;

	unfit(message, "%s=%.*s: no such column%s%s%s; these exist:", option,
	      length < 64 ? (int)length : 64, word,
	      near ? " (did you mean '" : "", near ? nearest : "",
	      near ? "'?)" : "");
	for (i = 0;
	     selfmon_view_column_name(known->report, &known->ratios, i, name);
	     i++) {
		n = strlen(message);
		snprintf(message + n, SELFMON_VIEW_MESSAGE_SIZE - n, "%s %s",
			 i ? "," : "", name);
	}
	return -EINVAL;
}

int selfmon_view_check(struct selfmon_view *view,
		       const struct selfmon_report *report,
		       char message[SELFMON_VIEW_MESSAGE_SIZE])
{
	struct known_columns known = { .report = report };
	char *word = view->columns;
	size_t length;

	if (view->threads && !selfmon_report_by_thread(report)) {
		view->threads = false;
		return unfit(message, "threads: this report has no rows by "
			     "thread: write it with "
			     "SELFMON_OUTPUT='json:FILE;threads', or use a "
			     "live file (SELFMON_LIVE)");
	}
	selfmon_ratios_find(report, &known.ratios);
	if (view->sort[0] && strcmp(view->sort, "name") != 0 &&
	    !is_known(&known, view->sort, strlen(view->sort))) {
		unknown_column(&known, "sort", view->sort, strlen(view->sort),
			       message);
		view->sort[0] = '\0';
		return -EINVAL;
	}
	for (; *word; word += length + (word[length] == '+')) {
		length = strcspn(word, "+");
		if (is_known(&known, word, length))
			continue;
		unknown_column(&known, "columns", word, length, message);
		view->columns[0] = '\0';
		return -EINVAL;
	}
	return 0;
}
