/* SPDX-License-Identifier: MIT */
/* Parses breakpoints and uprobes, and writes a breakpoint's name. */
#include "event/probe_event.h"

#include <errno.h>
#include <inttypes.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>

#include "event/sysfs.h"

/* Values of bp_type, <linux/hw_breakpoint.h>. */
#define WATCH_READ 1u
#define WATCH_WRITE 2u
#define WATCH_RUN 4u

#define WATCH "mem:"
#define PROBE "uprobe:"
/* Recognised only so that such events are refused with a message. */
#define RETURN_PROBE "uretprobe:"

/* Maximum number of bytes that a CPU's watchpoint covers. */
#define WATCH_LENGTH_MAX 8
#define WATCH_LENGTH 4 /* default, as in perf */

static bool begins(struct selfmon_piece text, const char *word)
{
	const size_t n = strlen(word);

	return text.length >= n && memcmp(text.text, word, n) == 0;
}

size_t selfmon_probe_event_colons(struct selfmon_piece text)
{
	if (begins(text, WATCH))
		return 1;
	return begins(text, PROBE) || begins(text, RETURN_PROBE) ? 2 : 0;
}

/* ---- breakpoints --------------------------------------------------------- */

static int parse_access(const struct selfmon_spec *spec,
			struct selfmon_piece letters, uint64_t *access)
{
	static const char known[] = "rwx";
	size_t i;

	*access = 0;
	for (i = 0; i < letters.length; i++) {
		const char *at = strchr(known, letters.text[i]);

		if (!at || *access & 1u << (at - known))
			break;
		*access |= 1u << (at - known);
	}
	if (i < letters.length || letters.length == 0)
		return selfmon_spec_fail(spec, EINVAL, letters.position + i,
					 "unknown access '%.*s': r, w, rw and "
					 "x are allowed",
					 SELFMON_QUOTE(letters));
	if (*access & WATCH_RUN && *access != WATCH_RUN)
		return selfmon_spec_fail(spec, EINVAL, letters.position,
					 "x cannot be combined with r or w: "
					 "use two events");
	return 0;
}

static int parse_address(const struct selfmon_spec *spec,
			 struct selfmon_piece text, uint64_t *address)
{
	const int ret = selfmon_piece_number(text, address);

	if (ret == -ERANGE)
		return selfmon_spec_fail(spec, EINVAL, text.position,
					 "the address '%.*s' is too large: it "
					 "has at most 64 bits",
					 SELFMON_QUOTE(text));
	if (ret == 0)
		return 0;
	return selfmon_spec_fail(spec, EINVAL, text.position,
				 "the address '%.*s' is not a number: "
				 "mem:0xADDRESS[/LENGTH][:rwx] is allowed",
				 SELFMON_QUOTE(text));
}

static int parse_length(const struct selfmon_spec *spec,
			struct selfmon_piece text, uint64_t *length)
{
	if (selfmon_piece_number(text, length) == 0 && *length > 0 &&
	    *length <= WATCH_LENGTH_MAX)
		return 0;
	return selfmon_spec_fail(spec, EINVAL, text.position,
				 "the length '%.*s' is not supported: 1 to %d "
				 "bytes are allowed",
				 SELFMON_QUOTE(text), WATCH_LENGTH_MAX);
}

static int parse_watch(const struct selfmon_spec *spec,
		       struct selfmon_piece text, struct selfmon_event *event)
{
	struct selfmon_piece part, address;
	bool has_access, has_length;
	int ret;

	text = selfmon_piece_from(text, strlen(WATCH));
	has_access = selfmon_piece_cut(&text, ':', &part);
	has_length = selfmon_piece_cut(&part, '/', &address);
	event->type = PERF_TYPE_BREAKPOINT;
	event->config = WATCH_READ | WATCH_WRITE;
	ret = parse_address(spec, address, &event->config1);
	if (!ret && has_access)
		ret = parse_access(spec, text, &event->config);
	event->config2 = event->config == WATCH_RUN ? sizeof(long)
						    : WATCH_LENGTH;
	if (!ret && has_length)
		ret = parse_length(spec, part, &event->config2);
	return ret;
}

int selfmon_event_watch(char *spec, size_t size, volatile void *address,
			size_t length, const char *access)
{
	const uintptr_t at = (uintptr_t)address;
	int n;

	if (length != 1 && length != 2 && length != 4 && length != 8)
		return -EINVAL;
	if (strcmp(access, "r") && strcmp(access, "w") && strcmp(access, "rw"))
		return -EINVAL;
	n = snprintf(spec, size, WATCH "0x%" PRIxPTR "/%zu:%s", at, length,
		     access);
	return n >= 0 && (size_t)n < size ? n : -E2BIG;
}

/* ---- uprobes ------------------------------------------------------------- */

static int no_uprobes(const struct selfmon_spec *spec)
{
	return selfmon_spec_fail(spec, ENOENT, spec->event.position,
				 "this kernel has no uprobes (CONFIG_UPROBES, "
				 "Linux 4.17): there is no PMU 'uprobe' in "
				 "sysfs");
}

/*
 * Returns the position after the last colon, or 0 if there is none. Paths may
 * contain colons.
 */
static size_t last_colon(struct selfmon_piece text)
{
	size_t at = text.length;

	while (at > 0 && text.text[at - 1] != ':')
		at--;
	return at;
}

static int parse_probe(const struct selfmon_spec *spec,
		       struct selfmon_piece text, struct selfmon_event *event)
{
	const struct selfmon_piece name = {.text = "uprobe", .length = 6};
	struct selfmon_pmu pmu;
	char path[SELFMON_EVENT_NAME_SIZE];
	const size_t colon = last_colon(text);

	if (!selfmon_probe_event_path(event, path) || colon == text.length)
		return selfmon_spec_fail(spec, EINVAL,
					 text.position + text.length,
					 "a uprobe is uprobe:/PATH:0xOFFSET, "
					 "with the whole path");
	if (selfmon_piece_number(selfmon_piece_from(text, colon),
				 &event->config2))
		return selfmon_spec_fail(spec, EINVAL, text.position + colon,
					 "'%.*s' is not an offset in the file: "
					 "'perf probe -x %s -D FUNCTION' prints "
					 "that of a function",
					 SELFMON_QUOTE(selfmon_piece_from(text,
									  colon)),
					 path);
	if (selfmon_pmu_find(name, &pmu))
		return no_uprobes(spec);
	event->type = pmu.type;
	return 0;
}

bool selfmon_probe_event_path(const struct selfmon_event *event,
			      char path[SELFMON_EVENT_NAME_SIZE])
{
	const size_t skip = strlen(PROBE);
	struct selfmon_piece name = {.text = event->name};

	name.length = event->base ? event->base : strlen(event->name);
	if (!begins(name, PROBE "/"))
		return false;
	name.length = last_colon(name);
	if (name.length <= skip + 1)
		return false;
	snprintf(path, SELFMON_EVENT_NAME_SIZE, "%.*s",
		 (int)(name.length - 1 - skip), event->name + skip);
	return true;
}

int selfmon_probe_event_parse(const struct selfmon_spec *spec,
			      struct selfmon_piece name,
			      struct selfmon_event *event)
{
	if (begins(name, RETURN_PROBE))
		return selfmon_spec_fail(spec, EOPNOTSUPP, name.position,
					 "returns of functions are not "
					 "counted: only uprobe: is supported, "
					 "which counts calls");
	return begins(name, WATCH) ? parse_watch(spec, name, event)
				   : parse_probe(spec, name, event);
}
