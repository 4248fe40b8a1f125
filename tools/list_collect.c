/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "list_collect.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "event/generic.h"
#include "event/sysfs.h"
#include "list_append.h"
#include "list_describe.h"
#include "list_named.h"
#include "platform/directory.h"

#define PATH_SIZE 512

static const char *section_of(uint32_t type)
{
	switch (type) {
	case PERF_TYPE_HARDWARE:
		return "hardware";
	case PERF_TYPE_HW_CACHE:
		return "cache";
	default:
		return "software";
	}
}

/*
 * Returns true if the event is an alias: its type and config are equal to those
 * of the event before it. Adds its name to the aliases of the event before.
 */
static bool is_alias(struct list *list, const struct selfmon_event *event)
{
	struct list_event *before =
		list->count ? &list->event[list->count - 1] : NULL;
	size_t n;

	if (!before || before->type != event->type ||
	    before->config != event->config)
		return false;
	n = strlen(before->aliases);
	snprintf(before->aliases + n, sizeof(before->aliases) - n, "%s%.40s",
		 n ? ", " : "", event->name);
	return true;
}

static bool collect_generic(struct list *list)
{
	struct selfmon_event event;
	size_t i;

	for (i = 0; selfmon_generic_at(i, &event); i++) {
		struct list_event *to;

		if (is_alias(list, &event))
			continue;
		to = list_append(list, event.name, section_of(event.type));
		if (!to)
			return false;
		to->type = event.type;
		to->config = event.config;
		list_describe(to->name, to->text, sizeof(to->text));
	}
	return true;
}

static struct selfmon_piece piece_of(const char *text)
{
	const struct selfmon_piece piece = { .text = text,
					     .length = strlen(text) };

	return piece;
}

/*
 * Appends the event of a file under events/. Leaves out an event whose terms
 * contain a '?': the user must give a value for such a term.
 */
static bool append_sysfs(struct list *list, const struct selfmon_pmu *pmu,
			 const char *file)
{
	char name[SELFMON_EVENT_NAME_SIZE], section[80];
	char terms[SELFMON_PMU_EVENT_SIZE];
	struct list_event *event;

	if (!selfmon_pmu_is_event(piece_of(file)) ||
	    selfmon_pmu_event(pmu, piece_of(file), terms) ||
	    strchr(terms, '?'))
		return true;
	snprintf(name, sizeof(name), "%.50s/%.70s/", pmu->name, file);
	snprintf(section, sizeof(section), "PMU %.50s", pmu->name);
	event = list_append(list, name, section);
	if (!event)
		return false;
	snprintf(event->text, sizeof(event->text), "%.150s", terms);
	return true;
}

static bool collect_pmu(struct list *list, const char *name)
{
	struct selfmon_directory directory;
	struct selfmon_pmu pmu;
	char path[PATH_SIZE], file[128];
	bool fits = true;

	if (selfmon_pmu_find(piece_of(name), &pmu))
		return true;
	snprintf(path, sizeof(path), "%s/%s/events", selfmon_sysfs_root, name);
	if (selfmon_directory_open(path, &directory))
		return true;
	while (fits && selfmon_directory_next(&directory, file, sizeof(file)))
		fits = append_sysfs(list, &pmu, file);
	selfmon_directory_close(&directory);
	return fits;
}

static int by_section_and_name(const void *a, const void *b)
{
	const struct list_event *const x = a, *const y = b;
	const int sections = strcmp(x->section, y->section);

	return sections ? sections : strcmp(x->name, y->name);
}

static bool collect_sysfs(struct list *list)
{
	const size_t first = list->count;
	struct selfmon_directory directory;
	char name[128];
	bool fits = true;

	if (selfmon_directory_open(selfmon_sysfs_root, &directory))
		return true;
	while (fits && selfmon_directory_next(&directory, name, sizeof(name)))
		fits = collect_pmu(list, name);
	selfmon_directory_close(&directory);
	qsort(list->event + first, list->count - first, sizeof(*list->event),
	      by_section_and_name);
	return fits;
}

/*
 * Appends a tracepoint. Leaves it out if its name cannot be written in a
 * specification. Returns false if out of memory.
 */
static bool append_tracepoint(struct list *list, const char *name)
{
	struct selfmon_events events;

	return selfmon_events_parse(name, &events, NULL) == -ENOENT ||
	       list_append(list, name, "tracepoints");
}

static bool collect_tracepoints(struct list *list)
{
	FILE *file = fopen("/sys/kernel/tracing/available_events", "r");
	char line[SELFMON_EVENT_NAME_SIZE];
	bool fits = true;

	if (!file)
		file = fopen("/sys/kernel/debug/tracing/available_events",
			     "r");
	if (!file)
		return true;
	while (fits && fgets(line, sizeof(line), file)) {
		line[strcspn(line, "\n")] = '\0';
		fits = append_tracepoint(list, line);
	}
	fclose(file);
	return fits;
}

bool list_collect(struct list *list)
{
	return collect_generic(list) && list_collect_sets(list) &&
	       collect_sysfs(list) &&
	       (!list->searched || (list_collect_vendor(list) &&
				    collect_tracepoints(list)));
}

bool list_has(const struct list_event *event, const char *word)
{
	return strcasestr(event->name, word) ||
	       strcasestr(event->aliases, word) ||
	       strcasestr(event->text, word) ||
	       !strcasecmp(event->section, word);
}

void list_keep(struct list *list, char **words)
{
	size_t kept = 0, i, k;

	for (i = 0; i < list->count; i++) {
		bool all = true;

		for (k = 0; words[k]; k++)
			all = all && list_has(&list->event[i], words[k]);
		if (all)
			list->event[kept++] = list->event[i];
	}
	list->count = kept;
}
