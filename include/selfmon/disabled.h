/* SPDX-License-Identifier: MIT */
/*
 * With SELFMON_DISABLE defined: inline replacements for all functions, which
 * measure nothing. A program builds on any system and links without the
 * library. The replacements return
 *
 *   int                   -ENOSYS
 *   pointers              NULL
 *   bool, other numbers   false, 0
 *
 * Five functions never return NULL: selfmon_clock(), whose clock counts
 * nanoseconds and stays at 0; selfmon_clock_source_name(), which returns
 * "none"; selfmon_verdict_name(); selfmon_version() and selfmon_region_name(),
 * which return "".
 *
 * Functions that open a set or a report store NULL in the caller's pointer.
 * Failures have the error ENOSYS and a message, which selfmon_explain()
 * returns. Snapshots, deltas and a thread's usage are set to 0, a specification
 * to "". Nothing else is written.
 *
 * Regions are macros: see region.h. The other headers include selfmon.h first,
 * so that all functions are declared before this header defines them. Files
 * compiled with and without SELFMON_DISABLE may be linked into one program,
 * which then needs the library.
 */
#include "compiler.h"
#if defined(SELFMON_DISABLE) && !defined(SELFMON_H)
#include "../selfmon.h"
#endif
#ifndef SELFMON_DISABLED_H
#define SELFMON_DISABLED_H

#include "clock.h"
#include "counters.h"
#include "doctor.h"
#include "error.h"
#include "event.h"
#include "options.h"
#include "report.h"

#ifdef SELFMON_DISABLE

#include <errno.h>
#include <string.h>

#ifdef _MSC_VER
#pragma warning(push)
#pragma warning(disable : 4100) /* unused parameters */
#endif
SELFMON_C_BEGIN

#define SELFMON_IMPL_REASON "compiled with SELFMON_DISABLE: nothing is measured"

SELFMON_INLINE int selfmon_impl_disabled(struct selfmon_failure *failure)
{
	if (failure) {
		memset(failure, 0, sizeof(*failure));
		failure->error = ENOSYS;
		failure->step = SELFMON_STEP_POLICY;
		memcpy(failure->message, SELFMON_IMPL_REASON,
		       sizeof(SELFMON_IMPL_REASON));
	}
	return -ENOSYS;
}

/* ---- clock.h ------------------------------------------------------------- */

SELFMON_INLINE const struct selfmon_clock *selfmon_clock(void)
{
	static const struct selfmon_clock still = { SELFMON_CLOCK_NONE, 0, 1,
						    1000000000, 0, 0 };

	return &still;
}

SELFMON_INLINE const char *
selfmon_clock_source_name(enum selfmon_clock_source source)
{
	return "none";
}

SELFMON_INLINE uint64_t selfmon_clock_ticks(void)
{
	return 0;
}

SELFMON_INLINE uint64_t selfmon_clock_ns(const struct selfmon_clock *clock,
					 uint64_t ticks)
{
	return 0;
}

SELFMON_INLINE void selfmon_thread_usage(struct selfmon_thread_usage *usage)
{
	memset(usage, 0, sizeof(*usage));
}

/* ---- counters.h ---------------------------------------------------------- */

SELFMON_INLINE const char *selfmon_verdict_name(enum selfmon_verdict verdict)
{
	switch (verdict) {
	case SELFMON_EXACT:
		return "exact";
	case SELFMON_SYSCALL:
		return "syscall";
	case SELFMON_SCALED:
		return "scaled";
	case SELFMON_NOT_COUNTED:
		break;
	}
	return "not counted";
}

SELFMON_INLINE void selfmon_counters_begin(const struct selfmon_counters *set,
					   struct selfmon_snapshot *snapshot)
{
	memset(snapshot, 0, sizeof(*snapshot));
}

SELFMON_INLINE void selfmon_counters_end(const struct selfmon_counters *set,
					 struct selfmon_snapshot *snapshot)
{
	memset(snapshot, 0, sizeof(*snapshot));
}

SELFMON_INLINE void selfmon_counters_delta(struct selfmon_counters *set,
					   const struct selfmon_snapshot *a,
					   const struct selfmon_snapshot *b,
					   struct selfmon_delta *delta)
{
	memset(delta, 0, sizeof(*delta));
}

SELFMON_INLINE uint64_t
selfmon_delta_uncertainty(const struct selfmon_delta *delta, size_t i)
{
	return 0;
}

SELFMON_INLINE int selfmon_counters_open(const char *spec, unsigned int flags,
					 struct selfmon_counters **set,
					 struct selfmon_failure *failure)
{
	*set = NULL;
	return selfmon_impl_disabled(failure);
}

SELFMON_INLINE void selfmon_counters_close(struct selfmon_counters *set)
{
}

SELFMON_INLINE int selfmon_guard_check(void)
{
	return -ENOSYS;
}

SELFMON_INLINE int selfmon_counters_info(const struct selfmon_counters *set,
					 size_t i,
					 struct selfmon_counter_info *info)
{
	return -ENOSYS;
}

/* ---- doctor.h ------------------------------------------------------------ */

SELFMON_INLINE size_t selfmon_explain(const struct selfmon_failure *failure,
				      char *text, size_t size)
{
	const char *const sentence = failure && failure->error != 0
					     ? SELFMON_IMPL_REASON
					     : "nothing failed";
	const size_t length = strlen(sentence);

	if (size > 0) {
		const size_t kept = length < size ? length : size - 1;

		memcpy(text, sentence, kept);
		text[kept] = '\0';
	}
	return length;
}

/* ---- event.h ------------------------------------------------------------- */

SELFMON_INLINE int selfmon_events_parse(const char *spec,
					struct selfmon_events *events,
					struct selfmon_failure *failure)
{
	return selfmon_impl_disabled(failure);
}

SELFMON_INLINE int selfmon_event_watch(char *spec, size_t size,
				       volatile void *address, size_t length,
				       const char *access)
{
	if (size > 0)
		spec[0] = '\0';
	return -ENOSYS;
}

/* ---- options.h ----------------------------------------------------------- */

SELFMON_INLINE int selfmon_configure(const struct selfmon_options *options)
{
	return -ENOSYS;
}

SELFMON_INLINE const char *selfmon_version(void)
{
	return "";
}

SELFMON_INLINE bool selfmon_enable(bool on)
{
	return false;
}

SELFMON_INLINE int selfmon_prepare(void)
{
	return -ENOSYS;
}

SELFMON_INLINE int selfmon_thread_prepare(void)
{
	return -ENOSYS;
}

/* ---- report.h ------------------------------------------------------------ */

SELFMON_INLINE int selfmon_report_take(struct selfmon_report **report)
{
	*report = NULL;
	return -ENOSYS;
}

SELFMON_INLINE int selfmon_report_open(const char *path,
				       struct selfmon_report **report,
				       struct selfmon_failure *failure)
{
	*report = NULL;
	return selfmon_impl_disabled(failure);
}

SELFMON_INLINE int selfmon_report_subtract(const struct selfmon_report *later,
					   const struct selfmon_report *earlier,
					   struct selfmon_report **interval)
{
	*interval = NULL;
	return -ENOSYS;
}

SELFMON_INLINE void selfmon_report_free(struct selfmon_report *report)
{
}

SELFMON_INLINE size_t selfmon_report_row_count(const struct selfmon_report *report)
{
	return 0;
}

SELFMON_INLINE const struct selfmon_row *
selfmon_report_row(const struct selfmon_report *report, size_t i)
{
	return NULL;
}

SELFMON_INLINE const struct selfmon_report *
selfmon_report_async(const struct selfmon_report *report)
{
	return NULL;
}

SELFMON_INLINE const struct selfmon_row *
selfmon_report_find(const struct selfmon_report *report,
		    const char *const *path, size_t depth)
{
	return NULL;
}

SELFMON_INLINE size_t
selfmon_report_column_count(const struct selfmon_report *report)
{
	return 0;
}

SELFMON_INLINE int
selfmon_report_column_info(const struct selfmon_report *report, size_t i,
			   struct selfmon_column_info *info)
{
	return -ENOSYS;
}

SELFMON_INLINE size_t
selfmon_report_note_count(const struct selfmon_report *report)
{
	return 0;
}

SELFMON_INLINE const char *
selfmon_report_note(const struct selfmon_report *report, size_t i)
{
	return NULL;
}

SELFMON_INLINE const char *
selfmon_report_column(const struct selfmon_report *report, size_t i)
{
	return NULL;
}

SELFMON_INLINE size_t
selfmon_report_metric_count(const struct selfmon_report *report)
{
	return 0;
}

SELFMON_INLINE int selfmon_row_metric(const struct selfmon_report *report,
				      size_t row, size_t i,
				      struct selfmon_metric *metric)
{
	return -ENOSYS;
}

SELFMON_INLINE size_t
selfmon_report_unit_count(const struct selfmon_report *report)
{
	return 0;
}

SELFMON_INLINE int selfmon_report_unit(const struct selfmon_report *report,
				       size_t row, size_t i,
				       struct selfmon_report_unit *unit)
{
	return -ENOSYS;
}

SELFMON_INLINE int selfmon_row_histogram(const struct selfmon_report *report,
					 size_t row,
					 struct selfmon_bucket *bucket,
					 size_t size)
{
	return -ENOSYS;
}

SELFMON_INLINE double selfmon_row_quantile(const struct selfmon_report *report,
					   size_t row, double q)
{
	return 0;
}

SELFMON_INLINE int selfmon_row_stack(const struct selfmon_report *report,
				     size_t row, size_t i,
				     struct selfmon_call_stack *stack)
{
	return -ENOSYS;
}

SELFMON_INLINE int selfmon_report_write(const struct selfmon_report *report,
					enum selfmon_format format,
					FILE *stream)
{
	return -ENOSYS;
}

SELFMON_INLINE int selfmon_report_print(enum selfmon_format format,
					FILE *stream)
{
	return -ENOSYS;
}

SELFMON_C_END
#ifdef _MSC_VER
#pragma warning(pop)
#endif

#endif /* SELFMON_DISABLE */

#endif
