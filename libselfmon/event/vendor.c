/* SPDX-License-Identifier: MIT */
/*
 * Looks up names in tracefs, then in libpfm. If neither knows the name, reports
 * the nearest known name, or what this machine lacks for the lookup.
 */
#include "event/vendor.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "event/generic.h"
#include "event/suggest.h"
#include "event/tracepoint.h"
#include "platform/pfm.h"

/*
 * The maximum number of attributes in a message, and the size of their buffer.
 */
#define ATTRIBUTES 4
#define ATTRIBUTES_SIZE 128

/*
 * Characters that may occur in names from manuals and in libpfm's attributes.
 */
#define LETTERS                                                                \
	"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.:=-+~"

static struct selfmon_piece first_word(struct selfmon_piece name)
{
	return selfmon_piece_head(name, selfmon_piece_find(name, ':'));
}

/* ---- words of the manual ------------------------------------------------- */

static bool next_vendor_event(struct selfmon_words *words, char *word,
			      size_t size)
{
	/*
	 * words->known points to a cursor here. The member is a pointer to
	 * const, because other iterators store a constant array in it.
	 */
	struct selfmon_pfm_cursor *cursor = (void *)(uintptr_t)words->known;

	return selfmon_pfm_next(cursor, word, size, NULL);
}

static const char *suggest_vendor(struct selfmon_piece name,
				  char nearest[SELFMON_WORD_SIZE])
{
	struct selfmon_pfm_cursor cursor = { 0 };
	struct selfmon_words words = { .next = next_vendor_event,
				       .known = &cursor };
	size_t length = 0;

	while (length < name.length && !strchr(":.", name.text[length]))
		length++;
	return selfmon_suggest(name.text, length, &words, nearest);
}

static bool next_attribute(struct selfmon_words *words, char *word, size_t size)
{
	return selfmon_pfm_attribute(words->known, words->index++, word, size);
}

/*
 * Suggests the known attribute that is nearest to a misspelt one. The event is
 * the part of `name` before the first delimiter; PMU:: may precede it.
 */
static const char *suggest_attribute(const char *name, const char *attribute,
				     char nearest[SELFMON_WORD_SIZE])
{
	const char *const pmu = strstr(name, "::");
	const size_t skip = pmu ? (size_t)(pmu - name) + 2 : 0;
	char event[SELFMON_EVENT_NAME_SIZE];
	struct selfmon_words words = { .next = next_attribute, .known = event };

	snprintf(event, sizeof(event), "%.*s",
		 (int)(skip + strcspn(name + skip, ":.")), name);
	return selfmon_suggest(attribute, strcspn(attribute, ":.="), &words,
			       nearest);
}

/*
 * Lists the first ATTRIBUTES attributes of an event, or as many as fit. libpfm
 * returns unit masks first, then its modifiers.
 */
static void list_attributes(const char *event, char list[ATTRIBUTES_SIZE])
{
	char word[SELFMON_WORD_SIZE];
	size_t length = 0, i;

	*list = '\0';
	for (i = 0; i < ATTRIBUTES &&
	     selfmon_pfm_attribute(event, i, word, sizeof(word)); i++) {
		if (length + strlen(word) + sizeof(", ...") > ATTRIBUTES_SIZE)
			break;
		length += (size_t)snprintf(list + length,
					   ATTRIBUTES_SIZE - length, "%s%s",
					   i ? ", " : "", word);
	}
	if (i == ATTRIBUTES)
		snprintf(list + length, ATTRIBUTES_SIZE - length, ", ...");
}

static int bad_attribute(const struct selfmon_spec *spec,
			 struct selfmon_piece name, const char *text,
			 size_t at)
{
	const int n = (int)strcspn(text + at, ":.");
	const size_t word = strcspn(text + at, ":.=");
	char nearest[SELFMON_WORD_SIZE];
	char list[ATTRIBUTES_SIZE];

	if (at > 0 && suggest_attribute(text, text + at, nearest) &&
	    (strlen(nearest) != word || strncmp(nearest, text + at, word)))
		return selfmon_spec_fail(spec, ENOENT, name.position + at,
					 "'%.*s' is no attribute of this event "
					 "(did you mean '%s'?)", n, text + at,
					 nearest);
	if (at > 0)
		return selfmon_spec_fail(spec, EINVAL, name.position + at,
					 "libpfm rejects '%.*s' as an "
					 "attribute of '%.*s'", n, text + at,
					 (int)at - 1, text);
	list_attributes(text, list);
	return selfmon_spec_fail(spec, EINVAL, name.position,
				 "'%.*s' needs one of its unit masks as an "
				 "attribute%s%s", SELFMON_QUOTE(name),
				 *list ? ", for example "
				       : ": see the CPU's manual", list);
}

/* ---- resolved names ------------------------------------------------------ */

static int take_code(const struct selfmon_spec *spec, struct selfmon_piece name,
		     const struct selfmon_pfm_code *code,
		     struct selfmon_event *event)
{
	if (code->package)
		return selfmon_spec_fail(spec, EOPNOTSUPP, name.position,
					 "%.*s counts the package, not your "
					 "thread", SELFMON_QUOTE(name));
	event->type = code->type;
	event->config = code->config;
	event->config1 = code->config1;
	event->config2 = code->config2;
	event->precise = code->precise;
	event->flags |= SELFMON_EVENT_HARDWARE;
	if (code->kernel)
		event->flags |= SELFMON_EVENT_KERNEL;
	if (code->user)
		event->flags |= SELFMON_EVENT_USER;
	return 0;
}

/*
 * Looks up a name in libpfm. Returns 0, 1 if libpfm does not know the name, or
 * -errno with the failure filled in.
 */
static int ask_pfm(const struct selfmon_spec *spec, struct selfmon_piece name,
		   struct selfmon_event *event)
{
	char text[SELFMON_EVENT_NAME_SIZE];
	struct selfmon_pfm_code code;
	size_t at;

	snprintf(text, sizeof(text), "%.*s", (int)name.length, name.text);
	if (strlen(text) == 0 || text[strspn(text, LETTERS)])
		return 1;
	switch (selfmon_pfm_find(text, &code, &at)) {
	case 0:
		return take_code(spec, name, &code, event);
	case -EINVAL:
		return bad_attribute(spec, name, text, at);
	case -EOPNOTSUPP:
		return selfmon_spec_fail(spec, EOPNOTSUPP, name.position,
					 "'%.*s' is not supported: the "
					 "attributes pinned, excl, period, "
					 "freq and cpu do more than select an "
					 "event. Leave them out",
					 SELFMON_QUOTE(name));
	case -ENODEV:
		return selfmon_spec_fail(spec, ENODEV, name.position,
					 "'%.*s' is an event of a PMU that "
					 "this kernel does not have",
					 SELFMON_QUOTE(name));
	default:
		return 1;
	}
}

/* ---- unknown names ------------------------------------------------------- */

static const char *why_no_manual(void)
{
	const char *const why_not = selfmon_pfm_why_not();

	return why_not ? why_not : "libpfm knows no such event of this CPU";
}

static int unknown_event(const struct selfmon_spec *spec,
			 struct selfmon_piece name)
{
	const struct selfmon_piece word = first_word(name);

	return selfmon_spec_fail(spec, ENOENT, name.position,
				 "unknown event '%.*s': names of `perf list`, "
				 "rHEX, pmu/term=value/ and those of "
				 "selfmon-events(7) are allowed; %s",
				 SELFMON_QUOTE(word), why_no_manual());
}

static int unknown_pmu_event(const struct selfmon_spec *spec,
			     struct selfmon_piece name)
{
	return selfmon_spec_fail(spec, ENOENT, name.position,
				 "unknown event '%.*s': this machine may have "
				 "no PMU '%.*s', or it counts the package; %s",
				 SELFMON_QUOTE(name),
				 SELFMON_QUOTE(first_word(name)),
				 why_no_manual());
}

static bool names_pmu(struct selfmon_piece name)
{
	const size_t colon = selfmon_piece_find(name, ':');

	return colon + 1 < name.length && name.text[colon + 1] == ':';
}

/*
 * Reports the nearest known name and returns -ENOENT, or returns 1 if there is
 * none.
 */
static int suggest_one(const struct selfmon_spec *spec,
		       struct selfmon_piece name)
{
	struct selfmon_words words = selfmon_generic_words();
	const struct selfmon_piece word = first_word(name);
	char nearest[SELFMON_WORD_SIZE];

	if (!selfmon_suggest(word.text, word.length, &words, nearest) &&
	    !suggest_vendor(name, nearest))
		return 1;
	return selfmon_spec_fail(spec, ENOENT, name.position,
				 "unknown event '%.*s' (did you mean '%s'?)",
				 SELFMON_QUOTE(word), nearest);
}

int selfmon_vendor_parse(const struct selfmon_spec *spec,
			 struct selfmon_piece name,
			 struct selfmon_event *event)
{
	const int traced = selfmon_tracepoint_find(name, event);
	int ret = traced ? ask_pfm(spec, name, event) : 0;

	if (ret == 1 && names_pmu(name))
		return unknown_pmu_event(spec, name);
	if (ret == 1 && selfmon_tracepoint_has_system(name))
		ret = selfmon_tracepoint_fail(spec, name, traced,
					      why_no_manual());
	if (ret == 1)
		ret = suggest_one(spec, name);
	if (ret == 1)
		ret = selfmon_tracepoint_fail(spec, name, traced,
					      why_no_manual());
	return ret == 1 ? unknown_event(spec, name) : ret;
}
