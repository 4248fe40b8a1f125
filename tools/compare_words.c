/* SPDX-License-Identifier: MIT */
#include "compare_words.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "compare_judge.h"
#include "report/number.h"

#define SMALL_COUNT 100
#define NO_CHANGE 0.0005 /* smaller changes print as 0.0 % */

const char *compare_verdict_word(const struct compare *compare,
				 enum compare_verdict verdict)
{
	if (compare->primary == COMPARE_TIME && verdict == COMPARE_SLOWER)
		return "slower";
	if (compare->primary == COMPARE_TIME && verdict == COMPARE_FASTER)
		return "faster";
	return compare_verdict_name[verdict];
}

bool compare_is_changed(const struct compare_cell *cell)
{
	return cell->there && (cell->ratio.low > 1 + NO_CHANGE ||
			       cell->ratio.high < 1 - NO_CHANGE);
}

char *compare_label(const struct compare_region *region)
{
	const char *from = region->path + 1;
	char *const label = calloc(3, strlen(region->path) + 1), *to = label;

	for (; to && *from; from++) {
		if (*from == COMPARE_SEPARATOR)
			to = stpcpy(to, " > ");
		else
			*to++ = *from;
	}
	return label;
}

static bool is_time(const struct compare *compare, size_t column)
{
	const char *const name = compare->column[column];

	return column < COMPARE_VISITS || !strncmp(name, "task-clock", 10) ||
	       !strncmp(name, "cpu-clock", 9);
}

const char *compare_value(const struct compare *compare, size_t column,
			  double value, char text[COMPARE_WORD])
{
	if (is_time(compare, column))
		selfmon_number_time(text, value, 4);
	else if (value < SMALL_COUNT && column != COMPARE_VISITS)
		selfmon_number_ratio(text, value);
	else
		selfmon_number_count(text, value);
	return text;
}

static void put_percent(double ratio, char *text, size_t size)
{
	if (ratio > 100)
		snprintf(text, size, ratio < 1e4 ? "x %.0f" : "x >9999", ratio);
	else
		/* + 0.0 converts -0 to 0 */
		snprintf(text, size, "%+.1f",
			 round((ratio - 1) * 1000) / 10 + 0.0);
	selfmon_number_point(text);
}

const char *compare_change(double ratio, char text[COMPARE_WORD])
{
	put_percent(ratio, text, COMPARE_WORD - 3);
	if (text[0] != 'x')
		strcat(text, " %");
	return text;
}

const char *compare_range(const struct compare_interval *ratio,
			  char text[COMPARE_WORD])
{
	char low[COMPARE_WORD / 3], high[COMPARE_WORD / 3];

	if (!isfinite(ratio->high) && ratio->low <= 0)
		return strcpy(text, "-");
	put_percent(ratio->low, low, sizeof(low));
	put_percent(ratio->high, high, sizeof(high));
	snprintf(text, COMPARE_WORD, "%s to %s%s", low, high,
		 high[0] == 'x' ? "" : " %");
	return text;
}

const char *compare_p(double p, char text[COMPARE_WORD])
{
	if (p < 0.0001)
		return strcpy(text, "<0.0001");
	snprintf(text, COMPARE_WORD, "%.4f", p);
	selfmon_number_point(text);
	return text;
}

/* ---- the conclusion ------------------------------------------------------ */

static void add(char *text, size_t size, const char *what, size_t count)
{
	const size_t length = strlen(text);

	if (count)
		snprintf(text + length, size - length, "%s%zu %s",
			 length ? ", " : "", count, what);
}

static void conclude_untested(const struct compare *compare, char *text,
			      size_t size)
{
	snprintf(text, size, "no test: %zu runs of A and %zu of B; at least "
		 "%zu per side are needed", compare->side[0].count,
		 compare->side[1].count, compare->needed);
}

void compare_conclude(const struct compare *compare, char *text, size_t size)
{
	const size_t *const count = compare->verdicts;
	char rest[256] = "";

	if (!compare->family) {
		snprintf(text, size, "nothing to judge: no region has at least "
			 "%.3g %% of the time in both", compare->least_share *
			 100);
		return;
	}
	if (!compare_can_test(compare)) {
		conclude_untested(compare, text, size);
		return;
	}
	add(rest, sizeof(rest), compare_verdict_word(compare, COMPARE_SLOWER),
	    count[COMPARE_SLOWER]);
	add(rest, sizeof(rest), "inconclusive", count[COMPARE_INCONCLUSIVE]);
	add(rest, sizeof(rest), compare_verdict_word(compare, COMPARE_FASTER),
	    count[COMPARE_FASTER]);
	add(rest, sizeof(rest), "the same", count[COMPARE_SAME]);
	snprintf(text, size, "%s%zu of %zu regions regressed%s%s",
		 count[COMPARE_REGRESSION] ? "REGRESSION: " : "",
		 count[COMPARE_REGRESSION], compare->family, *rest ? "; " : "",
		 rest);
}

static size_t least_runs(const struct compare *compare)
{
	const size_t a = compare->side[0].count, b = compare->side[1].count;

	return a < b ? a : b;
}

bool compare_advise(const struct compare *compare, char *text, size_t size)
{
	const size_t runs = least_runs(compare);

	if (!compare->verdicts[COMPARE_INCONCLUSIVE])
		return false;
	if (runs < compare->needed)
		snprintf(text, size, "%zu runs per side are too few for %zu "
			 "regions, at least %zu are needed", runs,
			 compare->family, compare->needed);
	else if (compare->primary == COMPARE_TIME)
		snprintf(text, size, "on a busy machine CPU time varies less: "
			 "count task-clock, and judge --by task-clock");
	else
		return false;
	return true;
}
