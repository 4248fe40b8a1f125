/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "compare.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "compare_export.h"
#include "compare_judge.h"
#include "compare_load.h"
#include "compare_markdown.h"
#include "compare_text.h"
#include "html.h"
#include "tool.h"

#define INCONCLUSIVE 3
#define RUNS_MAX 1000

static const char help[] =
	"usage: selfmon compare [OPTION...] A.json... -- B.json...\n"
	"Compares the runs of two programs, region by region. Each file is "
	"the report of\n"
	"one run (SELFMON_OUTPUT=json:FILE). The test needs at least 4 runs "
	"of each program;\n"
	"10 are better. Run A and B alternately: selfmon run --compare does "
	"this.\n"
	"\n"
	"  -f, --format FORMAT  text (default), json, markdown, bencher or "
	"html\n"
	"      --by COLUMN      compares this column: time (default), visits "
	"or a counter\n"
	"      --gate PERCENT   a change beyond this is a regression; "
	"default: 2\n"
	"      --min-share P    leaves out regions below P % of the time; "
	"default: 1\n"
	"      --name-a, --name-b NAME\n"
	"                       names of A and B; default: the first file of "
	"each\n"
	"      --force          compares runs from different machines\n"
	"      --require-conclusive\n"
	"                       exits with 3 if a region is inconclusive\n"
	"\n"
	"A region is a regression if p < 0.05 (Mann-Whitney, corrected by "
	"Holm for the\n"
	"number of regions) and the whole 95 % interval of B / A is beyond "
	"the gate.\n"
	"Exit status: 0: no regression; 1: a regression; 2: the options are "
	"wrong, or files\n"
	"cannot be read or compared; 3: inconclusive "
	"(--require-conclusive).\n";

/*
 * Writes the comparison as an HTML page with one report of each side: the run
 * with the median time.
 */
static void write_html(const struct compare *compare, FILE *to)
{
	if (html_write(compare_typical(compare, 0), compare_typical(compare, 1),
		       compare, to))
		tool_fail("compare", "no memory for the page");
}

static const struct {
	const char *name;
	void (*write)(const struct compare *compare, FILE *to);
} formats[] = {
	{ "text", compare_text },
	{ "json", compare_json },
	{ "markdown", compare_markdown },
	{ "bencher", compare_bencher },
	{ "html", write_html },
};
#define FORMATS (sizeof(formats) / sizeof(formats[0]))

enum { OPTION_BY = 256, OPTION_GATE, OPTION_SHARE, OPTION_FORCE,
       OPTION_CONCLUSIVE, OPTION_A, OPTION_B };

static const struct option options[] = {
	{ "format", required_argument, NULL, 'f' },
	{ "by", required_argument, NULL, OPTION_BY },
	{ "gate", required_argument, NULL, OPTION_GATE },
	{ "min-share", required_argument, NULL, OPTION_SHARE },
	{ "name-a", required_argument, NULL, OPTION_A },
	{ "name-b", required_argument, NULL, OPTION_B },
	{ "force", no_argument, NULL, OPTION_FORCE },
	{ "require-conclusive", no_argument, NULL, OPTION_CONCLUSIVE },
	{ "help", no_argument, NULL, 'h' },
	{ NULL, 0, NULL, 0 },
};

struct request {
	struct compare compare;
	size_t format;
	bool require_conclusive, help;
	char **argv;
};

static int take_format(struct request *request, const char *name)
{
	const char *names[FORMATS + 1];
	char hint[TOOL_HINT_SIZE];
	size_t i;

	for (i = 0; i < FORMATS; i++) {
		names[i] = formats[i].name;
		if (!strcmp(names[i], name)) {
			request->format = i;
			return 0;
		}
	}
	names[FORMATS] = NULL;
	return tool_misused("compare", "unknown format '%s'%s: text, json, "
			    "markdown, bencher or html are allowed", name,
			    tool_hint(name, names, hint));
}

static int take_percent(const char *option, const char *text, double *to)
{
	char *end;
	const double value = strtod(text, &end);

	if (end == text || *end || !(value >= 0 && value <= 100))
		return tool_misused("compare", "%s %s: a number of 0 to 100 "
				    "is allowed", option, text);
	*to = value / 100;
	return 0;
}

static int take_option(struct request *request, int option)
{
	switch (option) {
	case 'f':
		return take_format(request, optarg);
	case 'h':
		request->help = true;
		return 0;
	case OPTION_BY:
		request->compare.by = optarg;
		return 0;
	case OPTION_GATE:
		return take_percent("--gate", optarg, &request->compare.gate);
	case OPTION_SHARE:
		return take_percent("--min-share", optarg,
				    &request->compare.least_share);
	case OPTION_A:
	case OPTION_B:
		request->compare.side[option - OPTION_A].name = optarg;
		return 0;
	case OPTION_FORCE:
		request->compare.force = true;
		return 0;
	case OPTION_CONCLUSIVE:
		request->require_conclusive = true;
		return 0;
	default:
		return tool_wrong_option("compare", option, request->argv);
	}
}

/*
 * Takes the files of A, then "--", then those of B. Stores their names without
 * the "--".
 */
static int take_files(struct compare *compare, char **word, int count)
{
	int i, between = -1;

	for (i = 0; i < count; i++)
		if (!strcmp(word[i], "--")) {
			if (between >= 0)
				return tool_misused("compare", "-- is allowed "
						    "once, between the files");
			between = i;
		}
	if (between < 1 || between == count - 1)
		return tool_misused("compare", "files of A, then --, then files "
				    "of B were expected");
	memmove(word + between, word + between + 1,
		(size_t)(count - between - 1) * sizeof(*word));
	compare->side[0].count = compare->side[1].first = (size_t)between;
	compare->side[1].count = (size_t)(count - between - 1);
	if (compare->side[0].count > RUNS_MAX ||
	    compare->side[1].count > RUNS_MAX)
		return tool_misused("compare", "at most %d runs per side are "
				    "allowed", RUNS_MAX);
	return 0;
}

static int run(struct request *request, char **paths)
{
	struct compare *const compare = &request->compare;
	int status = compare_load(compare, paths);

	if (!status)
		status = compare_judge(compare);
	if (!status) {
		formats[request->format].write(compare, stdout);
		if (compare->verdicts[COMPARE_REGRESSION])
			status = TOOL_NO;
		else if (request->require_conclusive &&
			 (compare->verdicts[COMPARE_INCONCLUSIVE] ||
			  compare->verdicts[COMPARE_NO_TEST] ||
			  !compare->family))
			status = INCONCLUSIVE;
	}
	compare_free(compare);
	return status;
}

int tool_compare(int argc, char **argv)
{
	struct request request = {
		.compare = { .by = "time", .gate = 0.02, .least_share = 0.01 },
		.argv = argv,
	};
	int option, status = 0;

	/*
	 * The "+" stops getopt at the first file: otherwise it would consume
	 * the "--" between the files.
	 */
	while (!status && (option = getopt_long(argc, argv, "+:f:h", options,
						NULL)) != -1)
		status = take_option(&request, option);
	if (status)
		return status;
	if (request.help) {
		fputs(help, stdout);
		return 0;
	}
	status = take_files(&request.compare, argv + optind, argc - optind);
	return status ? status : run(&request, argv + optind);
}
