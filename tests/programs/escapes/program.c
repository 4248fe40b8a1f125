/* SPDX-License-Identifier: MIT */
/*
 * Writes the names given by its caller through every kind of output that the
 * library has.
 */
#include <selfmon.h>
#include <selfmon_bench.h>

#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>

static void hear(const char *text, void *unused)
{
	(void)unused;
	printf("%s\n", text);
}

/*
 * Gives this thread the name, and visits a region and a detached span of this
 * name.
 */
static void *in_thread(void *name)
{
	struct selfmon_async_span span;

	prctl(PR_SET_NAME, name, 0, 0, 0);
	selfmon_async_begin(selfmon_region(name), &span);
	SELFMON_REGION_OF(selfmon_region(name))
		selfmon_region_count(selfmon_unit("rows"), 1);
	selfmon_async_end(&span);
	return NULL;
}

/*
 * Visits a region of this name, with another one inside of it. Makes a unit and
 * runs a thread with the same name.
 */
static int visit(char *name, bool hears)
{
	struct selfmon_options options = SELFMON_OPTIONS_INIT;
	pthread_t thread;

	if (hears) {
		options.message = hear;
		selfmon_configure(&options);
	}
	SELFMON_REGION_OF(selfmon_region(name))
		SELFMON_REGION("inner")
			printf("visited\n");
	selfmon_unit(name);
	if (pthread_create(&thread, NULL, in_thread, name))
		return 1;
	return pthread_join(thread, NULL);
}

static void say(const struct selfmon_failure *failure)
{
	char text[512];

	selfmon_explain(failure, text, sizeof(text));
	printf("%s\n%s\n%s\n", failure->event, failure->message, text);
}

static int explain(const char *spec)
{
	struct selfmon_counter_info info = { .size = sizeof(info) };
	struct selfmon_failure failure;
	struct selfmon_counters *set;
	struct selfmon_report *report;
	size_t i;

	memset(&failure, 0, sizeof(failure));
	if (selfmon_counters_open(spec, 0, &set, &failure) < 0) {
		say(&failure);
	} else {
		for (i = 0; !selfmon_counters_info(set, i, &info); i++)
			if (info.failure)
				say(info.failure);
		selfmon_counters_close(set);
	}
	if (selfmon_report_open(spec, &report, &failure))
		say(&failure);
	return 0;
}

static volatile uint64_t sum;

static void work(void *unused, uint64_t turns)
{
	(void)unused;
	while (turns-- > 0)
		sum += turns;
}

/* bench NAME [OPTION]... */
static int bench(int argc, char **argv)
{
	const struct selfmon_bench_case cases[] = {
		{ argv[2], work, NULL },
		{ "other", work, NULL },
	};

	argv[2] = argv[0];
	return selfmon_bench_main(argc - 2, argv + 2, cases, 2);
}

int main(int argc, char **argv)
{
	if (argc < 3)
		return 2;
	if (!strcmp(argv[1], "explain"))
		return explain(argv[2]);
	if (!strcmp(argv[1], "bench"))
		return bench(argc, argv);
	return visit(argv[2], !strcmp(argv[1], "hear"));
}
