/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "run.h"

#include <getopt.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <selfmon/event.h>

#include "child.h"
#include "event/off_cpu_name.h"
#include "event/sample_spec.h"
#include "platform/escape.h"
#include "report/write.h"
#include "run_compare.h"
#include "run_output.h"
#include "store/config.h"
#include "tool.h"

struct run {
	const char *events, *output, *format, *n, *every, *runs, *live, *sample;
	bool strict, guard, fence, children, quiet, help;
	struct run_output out;
	struct run_compare compare;
	char live_path[RUN_OUTPUT_SIZE];
};

static const char help[] =
	"usage: selfmon run [OPTION...] [--] COMMAND [ARGUMENT...]\n"
	"       selfmon run [OPTION...] --compare 'COMMAND A' 'COMMAND B' "
	"[-n RUNS]\n"
	"Runs a program that is built with libselfmon, and prints where its "
	"report is. With\n"
	"--compare, runs two programs alternately and compares their "
	"reports, as selfmon\n"
	"compare does.\n"
	"\n"
	"  -e, --events SPEC    events to count: a list, auto or none\n"
	"      --sample SPEC    samples where in regions the time goes: "
	"auto, or\n"
	"                       EVENT[@PERIOD]\n"
	"  -o, --output FILE    file of the report; %p is the process id;\n"
	"                       default: - (standard error)\n"
	"  -f, --format FORMAT  " SELFMON_FORMAT_LIST ", html, folded or pprof; "
	"default: by\n"
	"                       FILE's ending, else text\n"
	"  -n, --every N        measures one visit in N\n"
	"      --live FILE      keeps the statistics in FILE, also after "
	"kill -9;\n"
	"                       %p is the process id\n"
	"      --strict         counts all events or none, without "
	"estimates\n"
	"      --guard          keeps the program alive if counter reads are "
	"switched off\n"
	"      --fence          orders the timestamps by lfence\n"
	"      --children       forked children write reports too\n"
	"  -q, --quiet          does not print where the report is\n"
	"      --compare A B    runs two shell commands alternately; "
	"discards their\n"
	"                       standard output\n"
	"  -n, --runs N         number of runs of each command; default: "
	"10\n"
	"      --keep FOLDER    keeps the reports in FOLDER\n"
	"  -f, --by, --gate, --min-share, --require-conclusive: as in "
	"selfmon compare\n"
	"\n"
	"Exit status: that of COMMAND; if a signal ended COMMAND, selfmon is "
	"ended by the\n"
	"same signal. With --compare: as selfmon compare. 2: the options are "
	"wrong; 126:\n"
	"COMMAND cannot be run; 127: COMMAND is not found.\n";

enum { OPTION_STRICT = 256, OPTION_GUARD, OPTION_FENCE, OPTION_CHILDREN,
       OPTION_LIVE, OPTION_EVERY, OPTION_COMPARE, OPTION_RUNS, OPTION_KEEP,
       OPTION_PASSED, OPTION_SAMPLE };

static const struct option options[] = {
	{ "events", required_argument, NULL, 'e' },
	{ "output", required_argument, NULL, 'o' },
	{ "format", required_argument, NULL, 'f' },
	{ "every", required_argument, NULL, OPTION_EVERY },
	{ "live", required_argument, NULL, OPTION_LIVE },
	{ "sample", required_argument, NULL, OPTION_SAMPLE },
	{ "strict", no_argument, NULL, OPTION_STRICT },
	{ "guard", no_argument, NULL, OPTION_GUARD },
	{ "fence", no_argument, NULL, OPTION_FENCE },
	{ "children", no_argument, NULL, OPTION_CHILDREN },
	{ "quiet", no_argument, NULL, 'q' },
	{ "compare", required_argument, NULL, OPTION_COMPARE },
	{ "runs", required_argument, NULL, OPTION_RUNS },
	{ "keep", required_argument, NULL, OPTION_KEEP },
	{ "by", required_argument, NULL, OPTION_PASSED },
	{ "gate", required_argument, NULL, OPTION_PASSED },
	{ "min-share", required_argument, NULL, OPTION_PASSED },
	{ "require-conclusive", no_argument, NULL, OPTION_PASSED },
	{ "help", no_argument, NULL, 'h' },
	{ NULL, 0, NULL, 0 },
};

/* Passes an option on to selfmon compare, under the same name. */
static void pass_option(struct run *run, int index)
{
	static const char *const name[] = { "--by", "--gate", "--min-share",
					    "--require-conclusive" };
	size_t i;

	for (i = 0; i < sizeof(name) / sizeof(name[0]); i++)
		if (!strcmp(options[index].name, name[i] + 2))
			run_compare_pass(&run->compare, name[i], optarg);
}

static void take_option(struct run *run, int option, int index)
{
	switch (option) {
	case 'e': run->events = optarg; break;
	case 'o': run->output = optarg; break;
	case 'f': run->format = optarg; break;
	case 'n': run->n = optarg; break;
	case 'q': run->quiet = true; break;
	case OPTION_LIVE: run->live = optarg; break;
	case OPTION_SAMPLE: run->sample = optarg; break;
	case OPTION_STRICT: run->strict = true; break;
	case OPTION_GUARD: run->guard = true; break;
	case OPTION_FENCE: run->fence = true; break;
	case OPTION_CHILDREN: run->children = true; break;
	case OPTION_EVERY: run->every = optarg; break;
	case OPTION_COMPARE: run->compare.command[0] = optarg; break;
	case OPTION_RUNS: run->runs = optarg; break;
	case OPTION_KEEP: run->compare.keep = optarg; break;
	case OPTION_PASSED: pass_option(run, index); break;
	}
}

/*
 * Prints the specification, with a mark below its character `at`. The
 * specification must be shorter than 72 characters.
 */
static void mark_place(const char *spec, size_t at)
{
	char before[72];

	snprintf(before, sizeof(before), "%.*s", (int)at, spec);
	tool_line(stderr, "  -e %s", spec);
	tool_line(stderr, "     %*s^", (int)selfmon_columns_of(before), "");
}

/* Prints an error in a specification, with a mark below its position. */
static int check_events(const char *given)
{
	struct selfmon_failure failure;
	struct selfmon_events events;
	char spec[SELFMON_SPEC_MAX];

	if (strlen(given) >= sizeof(spec))
		return tool_misused("run", "--events: %zu bytes: at most %zu "
				    "are allowed", strlen(given),
				    sizeof(spec) - 1);
	memcpy(spec, given, strlen(given) + 1);
	selfmon_off_cpu_take(spec);
	if (!strcmp(spec, "auto") || !strcmp(spec, "none") || !*spec ||
	    selfmon_events_parse(spec, &events, &failure) >= 0)
		return 0;
	tool_fail("run", "%s", failure.message);
	if (failure.position <= strlen(spec) && strlen(spec) < 72)
		mark_place(spec, failure.position);
	return TOOL_USAGE;
}

static int check_every(const char *text)
{
	char *end;
	const unsigned long n = strtoul(text, &end, 10);

	if (*text >= '0' && *text <= '9' && !*end && n >= 1 && n <= 1000000)
		return 0;
	return tool_misused("run", "--every %s: 1 to 1000000 are allowed",
			    text);
}

static int check_sample(const char *text)
{
	struct selfmon_sample_spec spec;
	char why[256];

	if (!selfmon_sample_spec_parse(text, &spec, why, sizeof(why)))
		return 0;
	return tool_misused("run", "--sample %s: %s", text, why);
}

static int check(struct run *run)
{
	int status = 0;

	if (run->every)
		status = check_every(run->every);
	if (!status && run->events)
		status = check_events(run->events);
	if (!status && run->sample)
		status = check_sample(run->sample);
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
	if (run->sample)
		setenv("SELFMON_SAMPLE", run->sample, 1);
	if (run->every)
		setenv("SELFMON_EVERY", run->every, 1);
	if (run->strict)
		setenv("SELFMON_STRICT", "1", 1);
	if (run->guard)
		setenv("SELFMON_GUARD", "1", 1);
	if (run->fence)
		setenv("SELFMON_FENCE", "lfence", 1);
}

/*
 * Checks the options for comparisons. With --compare, -n means --runs instead
 * of --every.
 */
static int check_compare(struct run *run)
{
	const char *const text = run->runs ? run->runs : run->n;
	unsigned long n;
	char *end;

	if (run->output || run->children || run->live)
		return tool_misused("run", "--compare cannot be combined with "
				    "--output, --children and --live; --keep "
				    "FOLDER keeps its reports");
	if (run->format)
		run_compare_pass(&run->compare, "--format", run->format);
	run->format = NULL;
	if (!text)
		return 0;
	n = strtoul(text, &end, 10);
	if (*text < '0' || *text > '9' || *end || n < 1 || n > 1000)
		return tool_misused("run", "--runs %s: 1 to 1000 are allowed",
				    text);
	run->compare.runs = (unsigned int)n;
	return 0;
}

/*
 * Takes the options up to the first word that is not an option: the rest
 * belongs to the command.
 */
static int take_options(struct run *run, int argc, char **argv)
{
	int option, index = 0;

	while ((option = getopt_long(argc, argv, "+:e:o:f:n:qh", options,
				     &index)) != -1) {
		if (option == '?' || option == ':')
			return tool_wrong_option("run", option, argv);
		if (option == 'h')
			run->help = true;
		take_option(run, option, index);
	}
	return 0;
}

static int take_second(struct run *run, int argc, char **argv)
{
	int status;

	if (optind == argc)
		return tool_misused("run", "--compare: two commands are "
				    "expected, each in quotes");
	run->compare.command[1] = argv[optind++];
	status = take_options(run, argc, argv);
	if (!status && optind < argc)
		status = tool_misused("run", "--compare: unexpected word '%s': "
				      "put each command in quotes",
				      argv[optind]);
	return status ? status : check_compare(run);
}

static int run_alone(struct run *run, char **argv)
{
	struct child child;
	const int status = child_run(&child, argv);

	if (child.began && run_output_make(&run->out) && !run->quiet)
		run_output_say(&run->out, &child);
	if (child.began && !run->quiet && run->live)
		run_live_say(run->live_path, &child);
	return child_exit(&child, status);
}

int tool_run(int argc, char **argv)
{
	struct run run = { .events = NULL };
	bool compares;
	int status = take_options(&run, argc, argv);

	compares = run.compare.command[0] != NULL;
	if (run.help) {
		fputs(help, stdout);
		return 0;
	}
	if (!status && compares)
		status = take_second(&run, argc, argv);
	else if (!status && optind == argc)
		status = tool_misused("run", "a command to run is missing");
	if (!compares && run.n)
		run.every = run.n;
	if (!status)
		status = check(&run);
	if (status)
		return status;
	set_variables(&run);
	return compares ? run_compare(&run.compare)
			: run_alone(&run, argv + optind);
}
