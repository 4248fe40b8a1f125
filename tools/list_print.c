/* SPDX-License-Identifier: MIT */
#include "list_print.h"

#include <string.h>

#include "platform/escape.h"
#include "tool.h"

#define NAME_WIDTH_MAX 44

static const char *const how_name[] = {
	[LIST_NOT] = "no",
	[LIST_SYSCALL] = "system call",
	[LIST_USER] = "user space",
};

static int name_width(const struct list *list)
{
	size_t width = 0, i;

	for (i = 0; i < list->count; i++) {
		const size_t n = strlen(list->event[i].name);

		if (n > width && n <= NAME_WIDTH_MAX)
			width = n;
	}
	return (int)width;
}

static void print_event(const struct list_event *event, int width,
			bool colours, FILE *stream)
{
	const bool dim = colours && event->how == LIST_NOT;

	const bool others = event->aliases[0] != '\0';

	fputs(dim ? "\033[2m" : "", stream);
	tool_line(stream, "  %-*s  %-*s%s%s%s%s", width, event->name,
		  event->text[0] ? 13 : 0, how_name[event->how], event->text,
		  others ? " (" : "", event->aliases, others ? ")" : "");
	fputs(dim ? "\033[0m" : "", stream);
}

static bool was_printed(const struct list *list, size_t i)
{
	size_t k;

	for (k = 0; k < i; k++)
		if (!strcmp(list->event[k].reason, list->event[i].reason))
			return true;
	return false;
}

static size_t sharing(const struct list *list, size_t i)
{
	size_t count = 0, k;

	for (k = i; k < list->count; k++)
		count += !strcmp(list->event[k].reason,
				 list->event[i].reason);
	return count;
}

/*
 * Prints each reason once, with the number of events that have it and the name
 * of the first one.
 */
static void print_reasons(const struct list *list, FILE *stream)
{
	bool first = true;
	size_t i;

	for (i = 0; i < list->count; i++) {
		const struct list_event *event = &list->event[i];
		const size_t count = sharing(list, i);

		if (event->how != LIST_NOT || was_printed(list, i))
			continue;
		fputs(first ? "\n" : "", stream);
		first = false;
		if (count == 1)
			tool_line(stream, "no: %s: %s", event->name,
				  event->reason);
		else
			tool_line(stream, "no: %zu events, as %s: %s", count,
				  event->name, event->reason);
	}
}

static void put_section(const struct list_event *event, bool first,
			FILE *stream)
{
	if (!first)
		putc('\n', stream);
	tool_line(stream, "%s", event->section);
}

void list_print(const struct list *list, bool colours, FILE *stream)
{
	const int width = name_width(list);
	size_t count[3] = { 0, 0, 0 };
	size_t i;

	for (i = 0; i < list->count; i++) {
		const struct list_event *event = &list->event[i];

		if (i == 0 || strcmp(event->section, event[-1].section) != 0)
			put_section(event, i == 0, stream);
		print_event(event, width, colours, stream);
		count[event->how]++;
	}
	print_reasons(list, stream);
	fprintf(stream, "\n%zu in user space, %zu by system call, %zu not\n",
		count[LIST_USER], count[LIST_SYSCALL], count[LIST_NOT]);
}

static void json_text(FILE *stream, const char *key, const char *text)
{
	fprintf(stream, "\"%s\": ", key);
	selfmon_output_json(stream, text);
}

void list_print_json(const struct list *list, FILE *stream)
{
	static const char *const how[] = {
		[LIST_NOT] = "no",
		[LIST_SYSCALL] = "syscall",
		[LIST_USER] = "user",
	};
	size_t i;

	fputs("{\n \"list\": 1,\n \"events\": [", stream);
	for (i = 0; i < list->count; i++) {
		const struct list_event *event = &list->event[i];

		fputs(i ? ",\n  {" : "\n  {", stream);
		json_text(stream, "name", event->name);
		fputs(", ", stream);
		json_text(stream, "aliases", event->aliases);
		fputs(", ", stream);
		json_text(stream, "section", event->section);
		fputs(", ", stream);
		json_text(stream, "counted", how[event->how]);
		fputs(", ", stream);
		json_text(stream, "description", event->text);
		fputs(", ", stream);
		json_text(stream, "reason", event->reason);
		fputs("}", stream);
	}
	fputs("\n ]\n}\n", stream);
}
