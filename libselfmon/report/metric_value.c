/* SPDX-License-Identifier: MIT */
/*
 * Computes the value of a metric in a row.
 *
 * Both operands are inclusive net values, and must cover the same visits. An
 * event covers the visits in which it has a value. The time is known for two
 * sets of visits: all measured visits, and those that have all values. So an
 * event can be divided by the time only if it covers one of these two sets. Two
 * events of one group have values in the same visits, with the exceptions in
 * are_same().
 */
#include "report/metric_value.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report/metric.h"
#include "report/metric_name.h"

/*
 * One operand: its value and uncertainty, and the number of measured visits
 * that it covers.
 */
struct operand {
	double value, unsure;
	uint64_t visits;
	/*
	 * The value is known both for all measured visits and for those that
	 * have all values.
	 */
	bool any_visits;
	enum selfmon_verdict verdict;
};

static double scale_of(const struct selfmon_row *row)
{
	return row->measured ? (double)row->visits / (double)row->measured : 1;
}

static struct operand counted(const struct selfmon_quantity *quantity)
{
	struct operand operand = { .visits = quantity->visits,
				   .verdict = quantity->verdict };

	if (quantity->verdict == SELFMON_NOT_COUNTED)
		return operand;
	operand.value = quantity->net < 0 ? 0 : quantity->net;
	operand.unsure = quantity->noise;
	if (quantity->verdict == SELFMON_SCALED)
		operand.unsure += operand.value * quantity->guessed;
	return operand;
}

/*
 * If no visit of the row counted the unit, the amount is not 0 but unknown, and
 * the metric has no value.
 */
static struct operand worked(const struct selfmon_row *row, uint64_t n)
{
	return (struct operand){ .value = (double)n * scale_of(row),
				 .visits = row->measured,
				 .verdict = n ? SELFMON_EXACT
					      : SELFMON_NOT_COUNTED };
}

static struct operand operand_of(const struct selfmon_row *row, int what)
{
	struct operand operand;

	switch (what) {
	case SELFMON_OF_TIME:
		operand = counted(&row->time);
		operand.any_visits = true;
		return operand;
	case SELFMON_OF_VISITS:
		return (struct operand){ .any_visits = true,
					 .verdict = SELFMON_EXACT };
	case SELFMON_OF_BYTES:
		return worked(row, row->bytes);
	case SELFMON_OF_ITEMS:
		return worked(row, row->items);
	case SELFMON_OF_WANTED:
		return (struct operand){ .verdict = SELFMON_NOT_COUNTED };
	default:
		if (what >= 0)
			return counted(&row->counter[what]);
		return worked(row, row->unit[SELFMON_UNIT_OF(what)]);
	}
}

/*
 * Returns true if both operands certainly cover the same visits, or if one of
 * them is the number of visits. If one value of a group is rejected, the others
 * are too, with two exceptions: an impossible value, and a thread that could
 * not open the whole group.
 */
static bool are_same(const struct selfmon_report *report,
		     const struct selfmon_row *row,
		     const struct selfmon_ratio *ratio)
{
	const uint32_t first = SELFMON_GROUP_FIRST;
	uint32_t group;

	if (ratio->of == SELFMON_OF_VISITS || ratio->by == SELFMON_OF_VISITS)
		return true;
	if (ratio->of < 0 || ratio->by < 0 || row->impossible ||
	    report->limited[SELFMON_LIMITED_LESS].threads)
		return false;
	group = report->column[ratio->of].group;
	return group == report->column[ratio->by].group &&
	       (group == first || group >= SELFMON_GROUP_MORE);
}

/*
 * Makes the operand's value cover `visits` visits. The time is known for all
 * measured visits and for the visits that have all values. Chooses the time of
 * the set that has `visits` visits. Returns false if no value is known for this
 * number of visits, or if an equal number may stand for different visits.
 * `same` is true if both operands certainly cover the same visits.
 */
static bool take_visits(const struct selfmon_row *row, int what,
			struct operand *operand, uint64_t visits, bool same)
{
	if (!operand->any_visits)
		return operand->visits == visits &&
		       (same || visits == row->measured ||
			visits == row->whole);
	if (what == SELFMON_OF_VISITS) {
		operand->value = (double)visits * scale_of(row);
		return true;
	}
	if (visits == row->measured)
		return true;
	operand->value = row->whole_ns < 0 ? 0 : row->whole_ns;
	operand->unsure *= (double)row->whole / (double)row->measured;
	return visits == row->whole;
}

/*
 * Returns the largest possible error: the upper bound of one operand divided by
 * the lower bound of the other, minus the value itself. For estimates this
 * assumes that events were at most twice as frequent off the PMU as on it, see
 * selfmon_delta_uncertainty().
 */
static double uncertainty(const struct operand *of, const struct operand *by,
			  double factor)
{
	if (!(by->unsure < by->value))
		return (double)INFINITY;
	return factor * ((of->value + of->unsure) / (by->value - by->unsure) -
			 of->value / by->value);
}

/*
 * Returns the less certain verdict. Their order is: exact, by system call,
 * scaled.
 */
static enum selfmon_verdict less_sure(enum selfmon_verdict a,
				      enum selfmon_verdict b)
{
	return a > b ? a : b;
}

static enum selfmon_absence divide(const struct selfmon_row *row,
				   const struct selfmon_ratio *ratio, bool same,
				   struct operand *of, struct operand *by,
				   struct selfmon_ratio_value *value)
{
	const uint64_t visits = of->any_visits ? by->visits : of->visits;

	if (of->verdict == SELFMON_NOT_COUNTED ||
	    by->verdict == SELFMON_NOT_COUNTED)
		return SELFMON_ABSENT_EVENT;
	if (!take_visits(row, ratio->of, of, visits, same) ||
	    !take_visits(row, ratio->by, by, visits, same))
		return SELFMON_ABSENT_VISITS;
	if (by->value <= 0)
		return SELFMON_ABSENT_ZERO;
	value->value = ratio->factor * of->value / by->value;
	if (!isfinite(of->value) || !isfinite(by->value) ||
	    !isfinite(value->value))
		return SELFMON_ABSENT_RANGE;
	value->verdict = less_sure(of->verdict, by->verdict);
	value->uncertainty = uncertainty(of, by, ratio->factor);
	return SELFMON_PRESENT;
}

static void explain(const struct selfmon_report *report,
		    const struct selfmon_ratio *ratio, const struct operand *of,
		    const struct operand *by, struct selfmon_ratio_value *value)
{
	char a[SELFMON_EVENT_NAME_SIZE], b[SELFMON_EVENT_NAME_SIZE];
	const size_t size = sizeof(value->reason);

	selfmon_ratio_operand(report, ratio, ratio->of, a);
	selfmon_ratio_operand(report, ratio, ratio->by, b);
	switch (value->absence) {
	case SELFMON_ABSENT_EVENT:
		selfmon_ratio_missing(report, ratio, value->reason);
		if (!value->reason[0])
			snprintf(value->reason, size, "%s: no value here",
				 of->verdict == SELFMON_NOT_COUNTED ? a : b);
		break;
	case SELFMON_ABSENT_VISITS:
		snprintf(value->reason, size, "%s covers %" PRIu64 " visits, "
			 "%s %" PRIu64 ", possibly different ones",
			 a, of->visits, b, by->visits);
		break;
	case SELFMON_ABSENT_ZERO:
		snprintf(value->reason, size, "division by zero: %s is 0", b);
		break;
	default:
		snprintf(value->reason, size, "%s / %s is not a number", a, b);
		break;
	}
}

void selfmon_ratio_of(const struct selfmon_report *report,
		      const struct selfmon_row *row,
		      const struct selfmon_ratio *ratio,
		      struct selfmon_ratio_value *value)
{
	struct operand of = operand_of(row, ratio->of);
	struct operand by = operand_of(row, ratio->by);

	value->verdict = SELFMON_NOT_COUNTED;
	value->uncertainty = 0;
	value->reason[0] = '\0';
	value->absence = divide(row, ratio, are_same(report, row, ratio), &of,
				&by, value);
	if (value->absence == SELFMON_PRESENT)
		return;
	value->value = value->uncertainty = (double)NAN;
	explain(report, ratio, &of, &by, value);
}

void selfmon_ratio_missing(const struct selfmon_report *report,
			   const struct selfmon_ratio *ratio,
			   char reason[SELFMON_METRIC_REASON_SIZE])
{
	const int operand[] = { ratio->of, ratio->by };
	char name[SELFMON_EVENT_NAME_SIZE];
	size_t i;

	reason[0] = '\0';
	for (i = 0; i < 2; i++) {
		const int k = operand[i];
		const bool wanted = k == SELFMON_OF_WANTED;

		if (!wanted && (k < 0 || report->column[k].verdict !=
						 SELFMON_NOT_COUNTED))
			continue;
		selfmon_ratio_operand(report, ratio, k, name);
		snprintf(reason, SELFMON_METRIC_REASON_SIZE, "%s: %s", name,
			 wanted ? "not requested" : "not counted");
		return;
	}
}

/* ---- public functions ---------------------------------------------------- */

size_t selfmon_report_metric_count(const struct selfmon_report *report)
{
	struct selfmon_ratios ratios;

	selfmon_ratios_find(report, &ratios);
	return ratios.count;
}

int selfmon_row_metric(const struct selfmon_report *report, size_t row,
		       size_t i, struct selfmon_metric *metric)
{
	struct selfmon_ratio_value value;
	struct selfmon_ratios ratios;

	/*
	 * The struct has not grown since its first version, so callers must
	 * pass at least its present size. Later versions may be longer.
	 */
	if (metric->size < sizeof(*metric))
		return -EINVAL;
	selfmon_ratios_find(report, &ratios);
	if (i >= ratios.count || row >= report->rows)
		return -ENOENT;
	selfmon_ratio_of(report, &report->row[row], &ratios.ratio[i], &value);
	selfmon_ratio_name(report, &ratios.ratio[i], metric->name);
	metric->verdict = value.verdict;
	metric->value = value.value;
	metric->uncertainty = value.uncertainty;
	memcpy(metric->reason, value.reason, sizeof(metric->reason));
	return 0;
}
