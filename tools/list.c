/* SPDX-License-Identifier: MIT */
#include "list.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "event/generic.h"
#include "list_collect.h"
#include "list_plan.h"
#include "list_print.h"
#include "list_try.h"
#include "platform/pfm.h"
#include "tool.h"

static const char help[] =
	"usage: selfmon list [-c] [--json] [WORD...]\n"
	"       selfmon list --plan SPEC\n"
	"Lists the events that SELFMON_EVENTS accepts, and how each is "
	"counted on this\n"
	"machine: in user space, by system call, or not at all, and why. The "
	"command opens\n"
	"each event to find out.\n"
	"\n"
	"  WORD...          only events with all words in their name or "
	"description;\n"
	"                   also searches tracepoints and libpfm's names\n"
	"  -c, --countable  only events that can be counted here\n"
	"      --json       prints JSON\n"
	"  -p, --plan SPEC  shows which of these events are counted "
	"together, and which\n"
	"                   are multiplexed\n"
	"\n"
	"The exit status is 1 if no event matches, or no event of the plan "
	"is counted.\n";

static const struct option options[] = {
	{ "countable", no_argument, NULL, 'c' },
	{ "json", no_argument, NULL, 'j' },
	{ "plan", required_argument, NULL, 'p' },
	{ "help", no_argument, NULL, 'h' },
	{ NULL, 0, NULL, 0 },
};

static void drop_uncounted(struct list *list)
{
	size_t kept = 0, i;

	for (i = 0; i < list->count; i++)
		if (list->event[i].how != LIST_NOT)
			list->event[kept++] = list->event[i];
	list->count = kept;
}

static int none(char **words)
{
	struct selfmon_words known = selfmon_generic_words();
	const char *const why_not = selfmon_pfm_why_not();
	char nearest[SELFMON_WORD_SIZE];

	if (!words[0])
		return tool_fail("list", "no event can be counted here; see: "
				 "selfmon doctor");
	if (!words[1] &&
	    selfmon_suggest(words[0], strlen(words[0]), &known, nearest))
		return tool_fail("list", "no event has '%s' in its name or "
				 "description (did you mean %s?)", words[0],
				 nearest);
	return tool_fail("list", "no event has %s in its name or description"
			 "%s%s", words[1] ? "these words" : words[0],
			 why_not ? "; " : "", why_not ? why_not : "");
}

int tool_list(int argc, char **argv)
{
	struct list list = { .count = 0 };
	const char *plan = NULL;
	bool countable = false, json = false;
	int option;

	while ((option = getopt_long(argc, argv, ":chp:", options, NULL)) != -1) {
		if (option == '?' || option == ':')
			return tool_wrong_option("list", option, argv);
		if (option == 'h') {
			fputs(help, stdout);
			return 0;
		}
		if (option == 'p')
			plan = optarg;
		countable = countable || option == 'c';
		json = json || option == 'j';
	}
	if (plan && (countable || json || optind < argc))
		return tool_misused("list", "--plan SPEC cannot be combined "
				    "with other options or words");
	if (plan)
		return list_plan(plan, stdout);
	list.searched = optind < argc;
	if (!list_collect(&list)) {
		free(list.event);
		return tool_fail("list", "no memory");
	}
	list_keep(&list, argv + optind);
	list_try(&list);
	if (countable)
		drop_uncounted(&list);
	if (json)
		list_print_json(&list, stdout);
	else if (list.count)
		list_print(&list, tool_has_colours(stdout), stdout);
	option = list.count ? 0 : none(argv + optind);
	free(list.event);
	return option;
}
