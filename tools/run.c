/* SPDX-License-Identifier: MIT */
/* selfmon run: a program with its variables set, and where its report went. */
#define _GNU_SOURCE
#include <getopt.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <selfmon/event.h>

#include "child.h"
#include "run_output.h"
#include "tool.h"

struct run {
	const char *events, *output, *format, *every, *live;
	bool strict, guard, fence, children, quiet;
	struct run_output out;
	char live_path[RUN_OUTPUT_SIZE];
};

static const char help[] =
	"usage: selfmon run [OPTION...] [--] COMMAND [ARGUMENT...]\n"
	"Runs a program that is built with libselfmon, and says where its "
	"report went.\n"
	"\n"
	"  -e, --events SPEC    what to count: a list, auto or none\n"
	"  -o, --output FILE    where the report goes; %p is the process id;\n"
	"                       default: - (standard error)\n"
	"  -f, --format FORMAT  text, json or csv; default: by FILE's ending, "
	"else text\n"
	"  -n, --every N        measure one visit in N\n"
	"      --live FILE      keep the statistics in FILE, whatever happens; "
	"%p as above\n"
	"      --strict         all events or none, nothing scaled\n"
	"      --guard          survive counter reads that are taken away\n"
	"      --fence          order the timestamps by lfence\n"
	"      --children       forked children report too\n"
	"  -q, --quiet          do not say where the report went\n"
	"\n"
	"Exits as COMMAND does: with its status, or by the signal that ended "
	"it;\n"
	"2: the options are wrong; 126, 127: COMMAND cannot be run, is not "
	"found.\n";

enum { OPTION_STRICT = 256, OPTION_GUARD, OPTION_FENCE, OPTION_CHILDREN,
       OPTION_LIVE };

static const struct option options[] = {
	{ "events", required_argument, NULL, 'e' },
	{ "output", required_argument, NULL, 'o' },
	{ "format", required_argument, NULL, 'f' },
	{ "every", required_argument, NULL, 'n' },
	{ "live", required_argument, NULL, OPTION_LIVE },
	{ "strict", no_argument, NULL, OPTION_STRICT },
	{ "guard", no_argument, NULL, OPTION_GUARD },
	{ "fence", no_argument, NULL, OPTION_FENCE },
	{ "children", no_argument, NULL, OPTION_CHILDREN },
	{ "quiet", no_argument, NULL, 'q' },
	{ "help", no_argument, NULL, 'h' },
	{ NULL, 0, NULL, 0 },
};

static void take_option(struct run *run, int option)
{
	switch (option) {
	case 'e': run->events = optarg; break;
	case 'o': run->output = optarg; break;
	case 'f': run->format = optarg; break;
	case 'n': run->every = optarg; break;
	case 'q': run->quiet = true; break;
	case OPTION_LIVE: run->live = optarg; break;
	case OPTION_STRICT: run->strict = true; break;
	case OPTION_GUARD: run->guard = true; break;
	case OPTION_FENCE: run->fence = true; break;
	case OPTION_CHILDREN: run->children = true; break;
	}
}

/* The fault in a specification, with a mark below where it is. */
static int check_events(const char *spec)
{
	struct selfmon_failure failure;
	struct selfmon_events events;

	if (!strcmp(spec, "auto") || !strcmp(spec, "none") || !*spec ||
	    selfmon_events_parse(spec, &events, &failure) >= 0)
		return 0;
	tool_fail("run", "%s", failure.message);
	if (failure.position <= strlen(spec) && strlen(spec) < 72)
		fprintf(stderr, "  -e %s\n     %*s^\n", spec,
			(int)failure.position, "");
	return TOOL_USAGE;
}

static int check_every(const char *text)
{
	char *end;
	const unsigned long n = strtoul(text, &end, 10);

	if (*text >= '0' && *text <= '9' && !*end && n >= 1 && n <= 1000000)
		return 0;
	return tool_misused("run", "--every %s: allowed are 1 to 1000000",
			    text);
}

static int check(struct run *run)
{
	int status = 0;

	if (run->every)
		status = check_every(run->every);
	if (!status && run->events)
		status = check_events(run->events);
	if (!status && run->live)
		status = run_live_take(run->live, run->live_path);
	if (!status && (run->output || run->format || run->children))
		status = run_output_take(&run->out, run->output, run->format,
					 run->children);
	return status;
}

static void set_variables(const struct run *run)
{
	if (run->events)
		setenv("SELFMON_EVENTS", run->events, 1);
	if (run->out.value[0])
		setenv("SELFMON_OUTPUT", run->out.value, 1);
	if (run->live)
		setenv("SELFMON_LIVE", run->live_path, 1);
	if (run->every)
		setenv("SELFMON_EVERY", run->every, 1);
	if (run->strict)
		setenv("SELFMON_STRICT", "1", 1);
	if (run->guard)
		setenv("SELFMON_GUARD", "1", 1);
	if (run->fence)
		setenv("SELFMON_FENCE", "lfence", 1);
}

int tool_run(int argc, char **argv)
{
	struct run run = { .events = NULL };
	struct child child;
	int option, status;

	/* The first word that is no option is COMMAND: its own are its own. */
	while ((option = getopt_long(argc, argv, "+e:o:f:n:qh", options,
				     NULL)) != -1) {
		if (option == '?')
			return tool_misused("run", "the options are wrong");
		if (option == 'h') {
			fputs(help, stdout);
			return 0;
		}
		take_option(&run, option);
	}
	if (optind == argc)
		return tool_misused("run", "a command to run is missing");
	status = check(&run);
	if (status)
		return status;
	set_variables(&run);
	status = child_run(&child, argv + optind);
	if (child.began && !run.quiet)
		run_output_tell(&run.out, &child);
	if (child.began && !run.quiet && run.live)
		run_live_tell(run.live_path, &child);
	return child_exit(&child, status);
}
