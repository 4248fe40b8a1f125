/* SPDX-License-Identifier: MIT */
/*
 * The gate of selfmon_bench.h: compares the samples of this run with those of a
 * baseline, and decides by the confidence interval of their ratio.
 */
#ifndef SELFMON_BENCH_GATE_H
#define SELFMON_BENCH_GATE_H

#include "bench_output.h"
#include "bench_reference.h"

SELFMON_C_BEGIN

/*
 * Exit statuses of selfmon_bench_main(), and results of selfmon_bench_gate().
 */
enum selfmon_bench_status {
	SELFMON_BENCH_PASS = 0,
	SELFMON_BENCH_REGRESSION = 1,
	SELFMON_BENCH_USAGE = 2,
	SELFMON_BENCH_INCONCLUSIVE = 3,
	SELFMON_BENCH_SKIPPED = 77 /* "skipped" in automake and CTest */
};

/* Minimum number of rounds for a confidence interval. */
#define SELFMON_BENCH_ROUNDS_MIN 3

/* ---- the baseline -------------------------------------------------------- */

/* Returns the start of a key's value in a line of JSON, or NULL. */
SELFMON_INLINE const char *selfmon_impl_bench_key(const char *line,
						  const char *quantity)
{
	char key[256];
	const char *found;

	if (!strcmp(quantity, "cpu-time"))
		quantity = "cpu_time";
	else if (!strcmp(quantity, "real-time"))
		quantity = "real_time";
	selfmon_impl_bench_quote(key, sizeof(key) - 2, quantity);
	memcpy(key + strlen(key), ": ", 3);
	found = strstr(line, key);
	return found ? found + strlen(key) : NULL;
}

/*
 * If the text from `line` on contains the field (such as "name") with this
 * value, returns the text after the value. Otherwise returns NULL.
 */
SELFMON_INLINE const char *selfmon_impl_bench_after(const char *line,
						    const char *field,
						    const char *value)
{
	const char *found = selfmon_impl_bench_key(line, field);
	char wanted[512];

	selfmon_impl_bench_quote(wanted, sizeof(wanted), value);
	if (!found || strncmp(found, wanted, strlen(wanted)))
		return NULL;
	return found + strlen(wanted);
}

/*
 * Sets *median to the median of a quantity ("instructions", "cpu-time") of a
 * case in a file written by selfmon_bench_json(). Returns 0, or -ENODATA if the
 * case or quantity is not in the file.
 */
SELFMON_INLINE int selfmon_bench_baseline(FILE *stream, const char *name,
					  const char *quantity, double *median)
{
	char line[8192], whole[600];
	const char *found;

	snprintf(whole, sizeof(whole), "%.500s_median", name);
	rewind(stream);
	while (fgets(line, (int)sizeof(line), stream)) {
		found = selfmon_impl_bench_after(line, "name", whole);
		if (!found)
			continue;
		found = selfmon_impl_bench_key(found, quantity);
		if (!found)
			return -ENODATA;
		*median = strtod(found, NULL);
		return 0;
	}
	return -ENODATA;
}

/*
 * Appends a sample if its slot is above the slot of the previous sample. Drops
 * other samples: slots must be in ascending order.
 */
SELFMON_INLINE void
selfmon_impl_bench_take(struct selfmon_bench_quantity *to, unsigned long slot,
			double sample)
{
	const unsigned int i = to->count;

	if (i >= SELFMON_BENCH_SAMPLES_MAX ||
	    slot >= SELFMON_BENCH_RUNS_MAX * SELFMON_BENCH_ROUNDS_MAX ||
	    (i > 0 && slot <= to->slot[i - 1]))
		return;
	to->slot[i] = (uint16_t)slot;
	to->sample[i] = sample;
	to->count++;
}

/*
 * Reads the samples of one quantity of one case from a file written by
 * selfmon_bench_json(). Does not set median and interval. Returns 0, or
 *   -ENODATA  the case or the quantity is not in the file
 *   -ENOMSG   the file has fewer than 3 usable rounds with this quantity. A
 *             round without "slot", as early versions wrote it, is not usable
 */
SELFMON_INLINE int
selfmon_bench_baseline_samples(FILE *stream, const char *name,
			       const char *quantity,
			       struct selfmon_bench_quantity *samples)
{
	const char *slot, *value;
	char line[8192];
	double median;

	memset(samples, 0, sizeof(*samples));
	samples->name = quantity;
	samples->verdict = SELFMON_EXACT;
	if (selfmon_bench_baseline(stream, name, quantity, &median))
		return -ENODATA;
	rewind(stream);
	while (fgets(line, (int)sizeof(line), stream)) {
		const char *const rest =
			selfmon_impl_bench_after(line, "run_name", name);

		slot = rest ? selfmon_impl_bench_key(rest, "slot") : NULL;
		value = slot ? selfmon_impl_bench_key(slot, quantity) : NULL;
		if (value)
			selfmon_impl_bench_take(samples,
						strtoul(slot, NULL, 10),
						strtod(value, NULL));
	}
	return samples->count < SELFMON_BENCH_ROUNDS_MIN ? -ENOMSG : 0;
}

/* ---- the ratio ----------------------------------------------------------- */

struct selfmon_impl_bench_pair {
	struct selfmon_bench_quantity before, now;
};

/*
 * Sets *to to the confidence interval of now / before. Both sides are first
 * divided, round by round, by the times of the reference loop. Returns false if
 * a side has fewer than SELFMON_BENCH_ROUNDS_MIN rounds with such times, or if
 * one of them is not above 0.
 */
SELFMON_INLINE bool
selfmon_impl_bench_corrected(const struct selfmon_impl_bench_pair *pair,
			     const struct selfmon_impl_bench_pair *reference,
			     struct selfmon_bench_interval *to)
{
	struct selfmon_impl_bench_pair by;

	if (selfmon_impl_bench_divide(&reference->before, &pair->before,
				      &by.before) ||
	    selfmon_impl_bench_divide(&reference->now, &pair->now, &by.now) ||
	    by.before.count < SELFMON_BENCH_ROUNDS_MIN ||
	    by.now.count < SELFMON_BENCH_ROUNDS_MIN)
		return false;
	selfmon_impl_bench_bootstrap(&by.now, &by.before, to);
	return true;
}

/*
 * Extends an interval so that it covers another one. The value becomes the mean
 * of both values.
 */
SELFMON_INLINE void
selfmon_impl_bench_envelope(struct selfmon_bench_interval *to,
			    const struct selfmon_bench_interval *other)
{
	to->value = (to->value + other->value) / 2;
	to->low = other->low < to->low ? other->low : to->low;
	to->high = other->high > to->high ? other->high : to->high;
}

/* Input of the gate: results of this run, and the baseline file. */
struct selfmon_impl_bench_judged {
	const struct selfmon_bench_result *results;
	size_t count;
	FILE *baseline;
	const char *quantity;
	double percent;
	FILE *log;
};

SELFMON_INLINE bool
selfmon_impl_bench_reference_pair(const struct selfmon_impl_bench_judged *of,
				  const char *name,
				  struct selfmon_impl_bench_pair *pair)
{
	size_t i;

	for (i = 0; i < of->count; i++)
		if (!strcmp(of->results[i].name, name)) {
			pair->now = of->results[i]
					    .quantity[SELFMON_BENCH_CPU_TIME];
			return !selfmon_bench_baseline_samples(
				of->baseline, name, "cpu-time", &pair->before);
		}
	return false;
}

/*
 * Sets *to to the ratio now / before. If the quantity is a time, corrects the
 * ratio by the machine's speed. Each of the two reference loops gives a
 * correction, and *to covers the intervals of both. If only the clock speed has
 * changed, the two corrections agree. If other programs shared the core in one
 * of the runs, they differ, and the wider interval shows this uncertainty.
 * *speed is the ratio of the first loop's times, now / before, or 0 without a
 * correction.
 */
SELFMON_INLINE void
selfmon_impl_bench_ratio(const struct selfmon_impl_bench_judged *of,
			 const struct selfmon_impl_bench_pair *pair,
			 struct selfmon_bench_interval *to, double *speed)
{
	struct selfmon_bench_case loops[SELFMON_BENCH_REFERENCES];
	struct selfmon_impl_bench_pair reference;
	struct selfmon_bench_interval by;
	unsigned int i, used = 0;

	*speed = 0;
	selfmon_impl_bench_references(loops, NULL);
	for (i = 0; i < SELFMON_BENCH_REFERENCES; i++) {
		if (!selfmon_impl_bench_is_time(of->quantity) ||
		    !selfmon_impl_bench_reference_pair(of, loops[i].name,
						       &reference) ||
		    !selfmon_impl_bench_corrected(pair, &reference, &by))
			continue;
		if (used++ == 0)
			*to = by;
		else
			selfmon_impl_bench_envelope(to, &by);
		if (*speed <= 0)
			*speed = selfmon_impl_bench_estimate(&reference.now,
							     NULL) /
				 selfmon_impl_bench_estimate(&reference.before,
							     NULL);
	}
	if (used == 0)
		selfmon_impl_bench_bootstrap(&pair->now, &pair->before, to);
}

/* ---- the verdict --------------------------------------------------------- */

SELFMON_INLINE enum selfmon_bench_status
selfmon_impl_bench_verdict(const struct selfmon_bench_interval *ratio,
			   double percent)
{
	const double limit = 1 + percent / 100;

	if (ratio->low > limit)
		return SELFMON_BENCH_REGRESSION;
	return ratio->high <= limit ? SELFMON_BENCH_PASS
				    : SELFMON_BENCH_INCONCLUSIVE;
}

SELFMON_INLINE void
selfmon_impl_bench_log(const struct selfmon_impl_bench_judged *of,
		       const char *name,
		       const struct selfmon_impl_bench_pair *pair,
		       const struct selfmon_bench_interval *ratio,
		       double speed, enum selfmon_bench_status status)
{
	fprintf(of->log, "%s: %s %.5g -> %.5g%s (%+.1f %%",
		selfmon_impl_bench_safe(name).text,
		selfmon_impl_bench_safe(of->quantity).text,
		selfmon_impl_bench_estimate(&pair->before, NULL),
		selfmon_impl_bench_estimate(&pair->now, NULL),
		selfmon_impl_bench_is_time(of->quantity) ? " ns" : "",
		100 * (ratio->value - 1));
	if (speed > 0)
		fprintf(of->log, " at equal speed, machine %.1f %% %s",
			100 * (speed < 1 ? 1 - speed : speed - 1),
			speed < 1 ? "faster" : "slower");
	fprintf(of->log, ", 95 %%: %+.1f to %+.1f %%, limit %g %%): %s\n",
		100 * (ratio->low - 1), 100 * (ratio->high - 1), of->percent,
		status == SELFMON_BENCH_PASS	     ? "pass"
		: status == SELFMON_BENCH_REGRESSION ? "regression"
						     : "inconclusive");
}

/*
 * Fills in *pair and returns true if the case can be compared. Otherwise prints
 * the reason and returns false.
 */
SELFMON_INLINE bool
selfmon_impl_bench_can(const struct selfmon_impl_bench_judged *of,
		       const struct selfmon_bench_result *result,
		       struct selfmon_impl_bench_pair *pair)
{
	const struct selfmon_bench_quantity *const now =
		selfmon_bench_quantity(result, of->quantity);
	int ret;

	if (!now || now->count < SELFMON_BENCH_ROUNDS_MIN) {
		fprintf(of->log, "%s: not judged: %s is not counted here\n",
			selfmon_impl_bench_safe(result->name).text,
			selfmon_impl_bench_safe(of->quantity).text);
		return false;
	}
	pair->now = *now;
	ret = selfmon_bench_baseline_samples(of->baseline, result->name,
					     of->quantity, &pair->before);
	if (ret == -ENODATA)
		fprintf(of->log, "%s: not judged: the baseline has no %s of "
				 "it\n",
			selfmon_impl_bench_safe(result->name).text,
			selfmon_impl_bench_safe(of->quantity).text);
	else if (ret)
		fprintf(of->log,
			"%s: not judged: the baseline has %u usable rounds, "
			"at least %d are needed: write it again with --json\n",
			selfmon_impl_bench_safe(result->name).text,
			pair->before.count, SELFMON_BENCH_ROUNDS_MIN);
	return ret == 0;
}

/*
 * Judges all cases by one quantity ("cpu-time", "real-time", an event), and
 * logs one line for each. A case is a regression if the whole 95 % interval of
 * the ratio now / baseline is beyond the limit. It passes if the interval ends
 * within the limit, and is inconclusive otherwise. Times are divided by the
 * reference loops of selfmon_bench_main() if both sides have them. Returns
 *   SELFMON_BENCH_PASS          all cases that could be judged passed
 *   SELFMON_BENCH_REGRESSION    at least one case is a regression
 *   SELFMON_BENCH_INCONCLUSIVE  no case is a regression; at least one is
 *                               inconclusive
 *   -ENODATA                    no case could be judged
 */
SELFMON_INLINE int
selfmon_bench_gate(const struct selfmon_bench_result *results, size_t count,
		   FILE *baseline, const char *quantity, double percent,
		   FILE *log)
{
	const struct selfmon_impl_bench_judged of = { results,  count,
						      baseline, quantity,
						      percent,  log };
	int found[SELFMON_BENCH_INCONCLUSIVE + 1] = { 0, 0, 0, 0 };
	struct selfmon_bench_interval ratio = { 0, 0, 0 };
	struct selfmon_impl_bench_pair pair;
	double speed;
	size_t i;

	for (i = 0; i < count; i++) {
		enum selfmon_bench_status status;

		if (!strncmp(results[i].name, "reference/", 10) ||
		    !selfmon_impl_bench_can(&of, &results[i], &pair))
			continue;
		selfmon_impl_bench_ratio(&of, &pair, &ratio, &speed);
		status = selfmon_impl_bench_verdict(&ratio, percent);
		selfmon_impl_bench_log(&of, results[i].name, &pair, &ratio,
				       speed, status);
		found[status]++;
	}
	if (found[SELFMON_BENCH_REGRESSION])
		return SELFMON_BENCH_REGRESSION;
	if (found[SELFMON_BENCH_INCONCLUSIVE])
		return SELFMON_BENCH_INCONCLUSIVE;
	return found[SELFMON_BENCH_PASS] ? SELFMON_BENCH_PASS : -ENODATA;
}

SELFMON_C_END

#endif
