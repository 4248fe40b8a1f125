/* SPDX-License-Identifier: MIT */
/*
 * Writes a message Trace of Perfetto: a series of packets. Field numbers are
 * those of perfetto/trace/trace_packet.proto and the files that it includes.
 *
 * Each lane is a sequence of its own. Its packets have the time since the
 * previous packet (an incremental clock), and refer to names by numbers.
 */
#include "trace_perfetto.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "platform/escape.h"
#include "protobuf.h"
#include "trace_label.h"
#include "trace_walk.h"

enum trace_message { TRACE_PACKET = 1 };
enum packet {
	PACKET_CLOCKS = 6,
	PACKET_TIME = 8,
	PACKET_SEQUENCE = 10,
	PACKET_EVENT = 11,
	PACKET_NAMES = 12,
	PACKET_FLAGS = 13,
	PACKET_DEFAULTS = 59,
	PACKET_DESCRIPTOR = 60,
};
enum { FLAG_CLEARED = 1, FLAG_NEEDED = 2 };
enum clocks { CLOCKS_CLOCK = 1 };
enum clock { CLOCK_ID = 1, CLOCK_TIME = 2, CLOCK_INCREMENTAL = 3 };
enum defaults { DEFAULTS_EVENT = 11, DEFAULTS_CLOCK = 58 };
enum event {
	EVENT_ANNOTATION = 4,
	EVENT_TYPE = 9,
	EVENT_NAME = 10,
	EVENT_TRACK = 11,
	EVENT_DOUBLE = 44,
};
enum event_type { TYPE_BEGIN = 1, TYPE_END = 2, TYPE_COUNTER = 4 };
enum annotation { ANNOTATION_NAME = 1, ANNOTATION_UNSIGNED = 3 };
enum names { NAMES_EVENT = 2, NAMES_ANNOTATION = 3 };
enum name { NAME_ID = 1, NAME_TEXT = 2 };
enum descriptor {
	DESCRIPTOR_ID = 1,
	DESCRIPTOR_NAME = 2,
	DESCRIPTOR_PROCESS = 3,
	DESCRIPTOR_THREAD = 4,
	DESCRIPTOR_PARENT = 5,
	DESCRIPTOR_COUNTER = 8,
};
enum process { PROCESS_PID = 1, PROCESS_NAME = 6 };
enum thread { THREAD_PID = 1, THREAD_TID = 2, THREAD_NAME = 5 };

/*
 * Perfetto's ids of builtin clocks, and the first id of sequence-scoped clocks
 * (64 to 127).
 */
enum { CLOCK_OF_REAL_TIME = 1, CLOCK_OF_BOOT = 6, CLOCK_OF_SEQUENCE = 64 };

struct perfetto {
	const struct trace *trace;
	const struct trace_track *track;
	FILE *to;
	struct protobuf packet, part, inner, innermost;
	uint64_t ids;	    /* number of track ids used so far */
	uint64_t process;   /* track id of the process */
	uint64_t lane_id;
	uint64_t counter[64]; /* track ids of the lane's counters; 0: none */
	uint32_t sequences;
	uint64_t time;	     /* time of the sequence's previous packet, in ns */
	uint32_t *named;     /* by name id: last sequence with the name */
	uint32_t columns_named; /* last sequence with the events' names */
};

static void begin_packet(struct perfetto *perfetto)
{
	protobuf_clear(&perfetto->packet);
	protobuf_clear(&perfetto->part);
	protobuf_clear(&perfetto->inner);
}

static void write_packet(struct perfetto *perfetto)
{
	struct protobuf *const packet = &perfetto->packet;
	struct protobuf *const head = &perfetto->part;

	packet->failed = packet->failed || head->failed ||
			 perfetto->inner.failed || perfetto->innermost.failed;
	protobuf_clear(head);
	protobuf_message(head, TRACE_PACKET, packet);
	fwrite(head->byte, 1, head->size, perfetto->to);
}

/* Escapes a text: names may contain any bytes, but messages are UTF-8. */
static void put_text(struct protobuf *to, unsigned int field, const char *text)
{
	const size_t size = 4 * strlen(text) + 1;
	char *const escaped = malloc(size);

	if (!escaped) {
		to->failed = true;
		return;
	}
	selfmon_escape(SELFMON_FOR_TEXT, escaped, size, text);
	protobuf_bytes(to, field, escaped, strlen(escaped));
	free(escaped);
}

/* ---- tracks -------------------------------------------------------------- */

static void describe_process(struct perfetto *perfetto)
{
	begin_packet(perfetto);
	perfetto->process = ++perfetto->ids;
	protobuf_number(&perfetto->inner, PROCESS_PID,
			(uint64_t)perfetto->trace->pid);
	put_text(&perfetto->inner, PROCESS_NAME, perfetto->trace->program);
	protobuf_number(&perfetto->part, DESCRIPTOR_ID, perfetto->process);
	protobuf_message(&perfetto->part, DESCRIPTOR_PROCESS, &perfetto->inner);
	protobuf_message(&perfetto->packet, PACKET_DESCRIPTOR, &perfetto->part);
	write_packet(perfetto);
}

/*
 * Writes the description of a lane. A thread's first lane is the thread's own
 * track; other lanes are below the process.
 */
static void describe_lane(struct perfetto *perfetto, uint32_t lane)
{
	const struct trace_track *const track = perfetto->track;
	const char *const name = trace_thread_name(perfetto->trace, track->id);
	char label[TRACE_LABEL_SIZE];

	begin_packet(perfetto);
	perfetto->lane_id = ++perfetto->ids;
	protobuf_number(&perfetto->part, DESCRIPTOR_ID, perfetto->lane_id);
	if (track->kind == TRACE_THREAD && !lane) {
		protobuf_number(&perfetto->inner, THREAD_PID,
				(uint64_t)perfetto->trace->pid);
		protobuf_number(&perfetto->inner, THREAD_TID, track->id);
		put_text(&perfetto->inner, THREAD_NAME, name);
		protobuf_message(&perfetto->part, DESCRIPTOR_THREAD,
				 &perfetto->inner);
	} else {
		put_text(&perfetto->part, DESCRIPTOR_NAME,
			 trace_label(perfetto->trace, track, lane, label));
	}
	protobuf_number(&perfetto->part, DESCRIPTOR_PARENT, perfetto->process);
	protobuf_message(&perfetto->packet, PACKET_DESCRIPTOR, &perfetto->part);
	write_packet(perfetto);
	memset(perfetto->counter, 0, sizeof(perfetto->counter));
}

static uint64_t counter_track(struct perfetto *perfetto, size_t column,
			      uint32_t lane)
{
	char label[TRACE_LABEL_SIZE], name[2 * TRACE_LABEL_SIZE];

	if (perfetto->counter[column])
		return perfetto->counter[column];
	begin_packet(perfetto);
	perfetto->counter[column] = ++perfetto->ids;
	snprintf(name, sizeof(name), "%s/us, %s",
		 perfetto->trace->column[column],
		 trace_label(perfetto->trace, perfetto->track, lane, label));
	protobuf_number(&perfetto->part, DESCRIPTOR_ID,
			perfetto->counter[column]);
	put_text(&perfetto->part, DESCRIPTOR_NAME, name);
	protobuf_number(&perfetto->part, DESCRIPTOR_PARENT, perfetto->process);
	protobuf_message(&perfetto->part, DESCRIPTOR_COUNTER, &perfetto->inner);
	protobuf_message(&perfetto->packet, PACKET_DESCRIPTOR, &perfetto->part);
	write_packet(perfetto);
	return perfetto->counter[column];
}

/* ---- sequences ----------------------------------------------------------- */

static void put_clock(struct perfetto *perfetto, uint64_t id, uint64_t time)
{
	protobuf_clear(&perfetto->inner);
	protobuf_number(&perfetto->inner, CLOCK_ID, id);
	protobuf_present(&perfetto->inner, CLOCK_TIME, time);
	if (id == CLOCK_OF_SEQUENCE)
		protobuf_number(&perfetto->inner, CLOCK_INCREMENTAL, true);
	protobuf_message(&perfetto->part, CLOCKS_CLOCK, &perfetto->inner);
}

static void begin_sequence(struct perfetto *perfetto)
{
	const struct trace *const trace = perfetto->trace;

	begin_packet(perfetto);
	perfetto->sequences++;
	perfetto->time = 0;
	put_clock(perfetto, CLOCK_OF_SEQUENCE, 0);
	put_clock(perfetto, CLOCK_OF_BOOT, trace->begin_raw_ns);
	put_clock(perfetto, CLOCK_OF_REAL_TIME, trace->begin_real_ns);
	protobuf_message(&perfetto->packet, PACKET_CLOCKS, &perfetto->part);
	protobuf_number(&perfetto->packet, PACKET_SEQUENCE,
			perfetto->sequences);
	protobuf_number(&perfetto->packet, PACKET_FLAGS, FLAG_CLEARED);
	protobuf_clear(&perfetto->part);
	protobuf_clear(&perfetto->inner);
	protobuf_number(&perfetto->inner, EVENT_TRACK, perfetto->lane_id);
	protobuf_message(&perfetto->part, DEFAULTS_EVENT, &perfetto->inner);
	protobuf_number(&perfetto->part, DEFAULTS_CLOCK, CLOCK_OF_SEQUENCE);
	protobuf_message(&perfetto->packet, PACKET_DEFAULTS, &perfetto->part);
	write_packet(perfetto);
}

/* Begins an event. Times of a lane never decrease. */
static void begin_event(struct perfetto *perfetto, uint64_t time)
{
	begin_packet(perfetto);
	protobuf_present(&perfetto->packet, PACKET_TIME, time - perfetto->time);
	perfetto->time = time;
	protobuf_number(&perfetto->packet, PACKET_SEQUENCE,
			perfetto->sequences);
	protobuf_number(&perfetto->packet, PACKET_FLAGS, FLAG_NEEDED);
}

static void end_event(struct perfetto *perfetto)
{
	protobuf_message(&perfetto->packet, PACKET_EVENT, &perfetto->part);
	write_packet(perfetto);
}

/* ---- names --------------------------------------------------------------- */

static void put_name(struct perfetto *perfetto, unsigned int kind, uint64_t id,
		     const char *text)
{
	protobuf_clear(&perfetto->innermost);
	protobuf_number(&perfetto->innermost, NAME_ID, id);
	put_text(&perfetto->innermost, NAME_TEXT, text);
	protobuf_message(&perfetto->inner, kind, &perfetto->innermost);
}

/*
 * Returns the number of a name. Regions are numbered from 1 on; other kinds of
 * visits have higher numbers.
 */
static uint64_t name_id(const struct trace *trace,
			const struct trace_visit *visit)
{
	return visit->region < trace->regions
		       ? visit->region + 1
		       : trace->regions + 1 + (UINT32_MAX - visit->region);
}

static void put_names(struct perfetto *perfetto,
		      const struct trace_visit *visit)
{
	const struct trace *const trace = perfetto->trace;
	const uint64_t id = name_id(trace, visit);
	size_t i;

	protobuf_clear(&perfetto->inner);
	if (perfetto->named[id] != perfetto->sequences)
		put_name(perfetto, NAMES_EVENT, id,
			 trace_visit_name(trace, visit));
	perfetto->named[id] = perfetto->sequences;
	if (visit->counts && perfetto->columns_named != perfetto->sequences) {
		for (i = 0; i < trace->columns; i++)
			put_name(perfetto, NAMES_ANNOTATION, i + 1,
				 trace->column[i]);
		perfetto->columns_named = perfetto->sequences;
	}
	if (perfetto->inner.size)
		protobuf_message(&perfetto->packet, PACKET_NAMES,
				 &perfetto->inner);
}

/* ---- visits -------------------------------------------------------------- */

static void put_annotations(struct perfetto *perfetto,
			    const struct trace_visit *visit)
{
	uint64_t value;
	size_t i;

	for (i = 0; i < perfetto->trace->columns; i++) {
		if (!trace_count(perfetto->trace, visit, i, &value))
			continue;
		protobuf_clear(&perfetto->inner);
		protobuf_number(&perfetto->inner, ANNOTATION_NAME, i + 1);
		protobuf_present(&perfetto->inner, ANNOTATION_UNSIGNED, value);
		protobuf_message(&perfetto->part, EVENT_ANNOTATION,
				 &perfetto->inner);
	}
}

/*
 * Writes the rate of each event at the start of an outermost visit, and 0 at
 * its end.
 */
static void put_rates(struct perfetto *perfetto,
		      const struct trace_visit *visit, bool begins)
{
	uint64_t value, id;
	size_t i;

	for (i = 0; i < perfetto->trace->columns; i++) {
		if (!trace_count(perfetto->trace, visit, i, &value))
			continue;
		id = counter_track(perfetto, i, visit->lane);
		begin_event(perfetto, begins ? visit->begin : visit->end);
		protobuf_number(&perfetto->part, EVENT_TYPE, TYPE_COUNTER);
		protobuf_number(&perfetto->part, EVENT_TRACK, id);
		protobuf_double(&perfetto->part, EVENT_DOUBLE,
				begins ? trace_rate(visit, value) : 0);
		end_event(perfetto);
	}
}

static void begin_visit(void *context, const struct trace_visit *visit,
			size_t depth)
{
	struct perfetto *const perfetto = context;

	begin_event(perfetto, visit->begin);
	put_names(perfetto, visit);
	protobuf_number(&perfetto->part, EVENT_TYPE, TYPE_BEGIN);
	protobuf_number(&perfetto->part, EVENT_NAME,
			name_id(perfetto->trace, visit));
	if (visit->counts)
		put_annotations(perfetto, visit);
	end_event(perfetto);
	if (visit->counts && !depth)
		put_rates(perfetto, visit, true);
}

static void end_visit(void *context, const struct trace_visit *visit,
		      size_t depth)
{
	struct perfetto *const perfetto = context;

	begin_event(perfetto, visit->end);
	protobuf_number(&perfetto->part, EVENT_TYPE, TYPE_END);
	end_event(perfetto);
	if (visit->counts && !depth)
		put_rates(perfetto, visit, false);
}

static bool write_track(struct perfetto *perfetto)
{
	const struct trace_walk walk = { begin_visit, end_visit, perfetto };
	uint32_t next = 0;

	while (next < perfetto->track->visits) {
		describe_lane(perfetto, perfetto->track->visit[next].lane);
		begin_sequence(perfetto);
		if (!trace_walk(perfetto->track, &next, &walk))
			return false;
	}
	return true;
}

static bool write_trace(struct perfetto *perfetto)
{
	const struct trace *const trace = perfetto->trace;
	bool done = true;
	size_t i;

	perfetto->named = calloc(trace->regions + 1 + TRACE_NO_REGIONS, sizeof(*perfetto->named));
	if (!perfetto->named)
		return false;
	describe_process(perfetto);
	for (i = 0; i < trace->tracks && done; i++) {
		perfetto->track = &trace->track[i];
		done = write_track(perfetto);
	}
	free(perfetto->named);
	return done && !perfetto->packet.failed;
}

int trace_write_perfetto(struct trace *const *trace, size_t traces, FILE *to)
{
	struct perfetto perfetto = { .to = to };
	bool done = true;
	size_t i;

	for (i = 0; i < traces && done; i++) {
		perfetto.trace = trace[i];
		done = write_trace(&perfetto);
	}
	protobuf_free(&perfetto.packet);
	protobuf_free(&perfetto.part);
	protobuf_free(&perfetto.inner);
	protobuf_free(&perfetto.innermost);
	return done ? 0 : -ENOMEM;
}
