/* SPDX-License-Identifier: MIT */
/*
 * Writes Chrome's Trace Event Format. Visits are pairs of events ("B", "E"),
 * with their counts as arguments; detached spans are async events ("b", "e"),
 * counters are "C", and names of tracks are metadata ("M"). Complete events
 * ("X") would be shorter, but viewers compute the end in floating point, so
 * visits that end at the same time might not nest. Times are in microseconds.
 * For a viewer "tid" is the track: threads have the kernel's id, and all other
 * tracks have higher numbers.
 */
#include "trace_chrome.h"

#include <errno.h>

#include "platform/escape.h"
#include "trace_label.h"
#include "trace_walk.h"

/* Higher than all thread ids: the kernel's PID_MAX_LIMIT is 2^22. */
#define TRACK_FIRST (UINT32_C(1) << 22)

struct chrome {
	const struct trace *trace;
	const struct trace_track *track;
	FILE *to;
	uint64_t tid; /* of the lane */
	uint64_t spans;
	bool first;
};

/* Begins an event of a kind. The name may contain any bytes. */
static void begin_event(struct chrome *chrome, const char *kind,
			const char *name)
{
	fputs(chrome->first ? "\n" : ",\n", chrome->to);
	chrome->first = false;
	fprintf(chrome->to, "{\"ph\":\"%s\",\"pid\":%d,\"tid\":%llu,\"name\":",
		kind, chrome->trace->pid, (unsigned long long)chrome->tid);
	selfmon_output_json(chrome->to, name);
}

static void put_time(const struct chrome *chrome, uint64_t ns)
{
	ns += chrome->trace->offset_ns;
	fprintf(chrome->to, ",\"ts\":%llu.%03u",
		(unsigned long long)(ns / 1000), (unsigned int)(ns % 1000));
}

static void put_name(struct chrome *chrome, const char *kind, const char *name)
{
	begin_event(chrome, "M", kind);
	fputs(",\"args\":{\"name\":", chrome->to);
	selfmon_output_json(chrome->to, name);
	fputs("}}", chrome->to);
}

static void put_counts(const struct chrome *chrome,
		       const struct trace_visit *visit)
{
	const struct trace *const trace = chrome->trace;
	const char *separator = "";
	uint64_t value;
	size_t i;

	fputs(",\"args\":{", chrome->to);
	for (i = 0; i < trace->columns; i++) {
		if (!trace_count(trace, visit, i, &value))
			continue;
		fputs(separator, chrome->to);
		selfmon_output_json(chrome->to, trace->column[i]);
		fprintf(chrome->to, ":%llu", (unsigned long long)value);
		separator = ",";
	}
	fputs("}", chrome->to);
}

/*
 * Writes the rate of each event at the start of an outermost visit, and 0 at
 * its end.
 */
static void put_rates(struct chrome *chrome, const struct trace_visit *visit,
		      bool begins)
{
	const struct trace *const trace = chrome->trace;
	char label[TRACE_LABEL_SIZE], name[2 * TRACE_LABEL_SIZE];
	uint64_t value;
	size_t i;

	for (i = 0; i < trace->columns; i++) {
		if (!trace_count(trace, visit, i, &value))
			continue;
		snprintf(name, sizeof(name), "%s/us, %s", trace->column[i],
			 trace_label(trace, chrome->track, visit->lane, label));
		begin_event(chrome, "C", name);
		put_time(chrome, begins ? visit->begin : visit->end);
		fprintf(chrome->to, ",\"args\":{\"value\":%.6g}}",
			begins ? trace_rate(visit, value) : 0);
	}
}

static void begin_visit(void *context, const struct trace_visit *visit,
			size_t depth)
{
	struct chrome *const chrome = context;

	begin_event(chrome, "B", trace_visit_name(chrome->trace, visit));
	put_time(chrome, visit->begin);
	if (visit->counts)
		put_counts(chrome, visit);
	fputs("}", chrome->to);
	if (visit->counts && !depth)
		put_rates(chrome, visit, true);
}

static void end_visit(void *context, const struct trace_visit *visit,
		      size_t depth)
{
	struct chrome *const chrome = context;

	begin_event(chrome, "E", trace_visit_name(chrome->trace, visit));
	put_time(chrome, visit->end);
	fputs("}", chrome->to);
	if (visit->counts && !depth)
		put_rates(chrome, visit, false);
}

static void put_spans(struct chrome *chrome)
{
	const struct trace_track *const track = chrome->track;
	uint32_t i;
	int end;

	for (i = 0; i < track->visits; i++, chrome->spans++)
		for (end = 0; end < 2; end++) {
			const struct trace_visit *const visit =
				&track->visit[i];

			begin_event(chrome, end ? "e" : "b",
				    trace_visit_name(chrome->trace, visit));
			put_time(chrome, end ? visit->end : visit->begin);
			fprintf(chrome->to, ",\"cat\":\"span\",\"id\":%llu}",
				(unsigned long long)chrome->spans);
		}
}

static int put_track(struct chrome *chrome, uint64_t *next_tid)
{
	const struct trace_track *const track = chrome->track;
	const struct trace_walk walk = { begin_visit, end_visit, chrome };
	char label[TRACE_LABEL_SIZE];
	uint32_t next = 0;

	if (track->kind == TRACE_SPANS) {
		chrome->tid = (*next_tid)++;
		put_spans(chrome);
		return 0;
	}
	while (next < track->visits) {
		const uint32_t lane = track->visit[next].lane;

		chrome->tid = track->kind == TRACE_THREAD && !lane
				      ? track->id
				      : (*next_tid)++;
		put_name(chrome, "thread_name",
			 trace_label(chrome->trace, track, lane, label));
		if (!trace_walk(track, &next, &walk))
			return -ENOMEM;
	}
	return 0;
}

static int put_trace(struct chrome *chrome)
{
	uint64_t next_tid = TRACK_FIRST;
	size_t i;
	int error = 0;

	chrome->tid = 0;
	put_name(chrome, "process_name", chrome->trace->program);
	for (i = 0; i < chrome->trace->tracks && !error; i++) {
		chrome->track = &chrome->trace->track[i];
		error = put_track(chrome, &next_tid);
	}
	return error;
}

int trace_write_chrome(struct trace *const *trace, size_t traces, FILE *to)
{
	struct chrome chrome = { .to = to, .first = true };
	size_t i;
	int error = 0;

	fputs("{\"displayTimeUnit\":\"ns\",\"traceEvents\":[", to);
	for (i = 0; i < traces && !error; i++) {
		chrome.trace = trace[i];
		error = put_trace(&chrome);
	}
	fputs("\n]}\n", to);
	return error;
}
