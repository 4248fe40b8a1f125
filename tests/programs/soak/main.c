/* SPDX-License-Identifier: MIT */
/*
 * Runs all kinds of work at once for SECONDS, in rounds of two seconds. All
 * threads stop after each round. The process must then hold no more
 * descriptors, mappings and memory than after the first rounds, within small
 * limits. The report and the live file must include all visits. Usage: soak
 * PLUGIN SECONDS
 */
#define _GNU_SOURCE
#include <inttypes.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <selfmon.h>

#include "sanitized.h"
#include "soak.h"

#define ROUND_SECONDS 2
/*
 * Number of rounds after which the C library's own stacks and arenas have their
 * final size.
 */
#define ROUNDS_FIRST 2
#define MORE_DESCRIPTORS 2
#define MORE_MAPS 40
/*
 * By the end, each thread's state has nodes for every order in which spans
 * nest. These nodes may take this memory.
 */
#define MORE_KIB 16384

const char *const soak_name[SOAK_KINDS] = {
	[SOAK_SHORT] = "short",   [SOAK_NESTED] = "nested",
	[SOAK_JUMPED] = "jumped", [SOAK_SIGNAL] = "signal",
	[SOAK_PLUGIN] = "plugin", [SOAK_MANY] = "many",
	[SOAK_CANCELLED] = "cancelled",
	[SOAK_TURN] = "turn",     [SOAK_MOVED] = "moved",
	[SOAK_SPAN] = "span",     [SOAK_VFORK] = "vfork",
};
uint64_t soak_done[SOAK_KINDS];
bool soak_over;

static char live[64];

void soak_fail(const char *format, ...)
{
	va_list arguments;

	fputs("soak: ", stdout);
	va_start(arguments, format);
	vprintf(format, arguments);
	va_end(arguments);
	putchar('\n');
	fflush(stdout);
	_exit(1);
}

/* ---- workers ------------------------------------------------------------ */

static const struct worker {
	const char *name;
	void *(*body)(void *unused);
	const char *without; /* why this work is left out; NULL: it runs */
} workers[] = {
	{ "short threads", soak_come_and_go, NULL },
	{ "jumps", soak_jump_about, NULL },
	{ "signals", soak_interrupt, NULL },
	{ "forks", soak_fork, NULL },
	{ "plugins", soak_load_and_unload,
	  SANITIZED_THREADS ? "the loader's maps are not seen, and a variable "
			      "is taken for what was there before" : NULL },
	{ "reports", soak_report, NULL },
	{ "errors", soak_fail_often, NULL },
	{ "names", soak_name_many, NULL },
	{ "cancelled threads", soak_cancel,
	  SANITIZED ? "it treats the frames of a cancelled thread as live"
		    : NULL },
	{ "raw clones", soak_clone,
	  SANITIZED ? "it does not see raw clone" : NULL },
	{ "vforks", soak_vfork,
	  SANITIZED ? "it does not support vfork" : NULL },
	{ "killed programs", soak_kill, NULL },
	{ "coroutines", soak_take_turns,
	  SANITIZED ? "it does not follow swapcontext" : NULL },
	{ "moving coroutines", soak_move_about,
	  SANITIZED ? "it does not follow swapcontext" : NULL },
	{ "spans left elsewhere", soak_pass_on, NULL },
};

#define WORKERS (sizeof(workers) / sizeof(workers[0]))

static void tell_who_is_left_out(void)
{
	size_t i;

	for (i = 0; i < WORKERS; i++)
		if (workers[i].without)
			printf("soak: SKIPPED %s (under this sanitizer: %s)\n",
			       workers[i].name, workers[i].without);
}

pthread_t soak_start(void *(*body)(void *), void *argument)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, body, argument))
		soak_fail("no more threads");
	return thread;
}

static void play_round(void)
{
	pthread_t thread[WORKERS];
	size_t i;

	soak_over = false;
	for (i = 0; i < WORKERS; i++)
		if (!workers[i].without)
			thread[i] = soak_start(workers[i].body, NULL);
	sleep(ROUND_SECONDS);
	__atomic_store_n(&soak_over, true, __ATOMIC_RELAXED);
	for (i = 0; i < WORKERS; i++)
		if (!workers[i].without)
			pthread_join(thread[i], NULL);
}

static void check_visits(void)
{
	struct selfmon_failure failure;
	struct selfmon_report *report;

	if (selfmon_report_take(&report))
		soak_fail("no report");
	soak_check_all(report, "the process's report");
	selfmon_report_free(report);
	if (selfmon_report_open(live, &report, &failure))
		soak_fail("%s", failure.message);
	soak_check_all(report, "its live file");
	selfmon_report_free(report);
}

static void check_held(const struct soak_held *first,
		       const struct soak_held *now)
{
	/* A sanitizer keeps freed memory, and has mappings of its own. */
	const long more_kib = SANITIZED ? LONG_MAX / 2 : MORE_KIB;
	const long more_maps = SANITIZED ? LONG_MAX / 2 : MORE_MAPS;

	if (now->descriptors > first->descriptors + MORE_DESCRIPTORS ||
	    now->maps > first->maps + more_maps ||
	    now->resident_kib > first->resident_kib + more_kib)
		soak_fail("%ld descriptors, %ld maps, %ld KiB; there were %ld, "
			  "%ld and %ld", now->descriptors, now->maps,
			  now->resident_kib, first->descriptors, first->maps,
			  first->resident_kib);
}

static void print_round(int round, const struct soak_held *first,
		 const struct soak_held *now)
{
	size_t k;

	printf("soak: %d rounds, no visit lost of", round);
	for (k = 0; k < SOAK_KINDS; k++)
		printf("%s %" PRIu64 " %s", k ? "," : "", soak_done[k],
		       soak_name[k]);
	printf("\nsoak: %ld descriptors, %ld maps, %ld KiB, after the first "
	       "rounds %ld, %ld, %ld\n", now->descriptors, now->maps,
	       now->resident_kib, first->descriptors, first->maps,
	       first->resident_kib);
}

static void soak(long seconds)
{
	const time_t end = time(NULL) + seconds;
	struct soak_held first = { 0 }, now = { 0 };
	int round = 0;

	do {
		play_round();
		check_visits();
		soak_hold(&now);
		if (++round <= ROUNDS_FIRST)
			first = now;
		check_held(&first, &now);
	} while (time(NULL) < end || round <= ROUNDS_FIRST);
	print_round(round, &first, &now);
}

int main(int argc, char **argv)
{
	const struct sigaction action = { .sa_handler = soak_handle,
					  .sa_flags = SA_RESTART };
	struct selfmon_options options = SELFMON_OPTIONS_INIT;

	if (argc == 4 && !strcmp(argv[1], SOAK_VICTIM))
		return soak_be_killed(argv[2], argv[3]);
	if (argc < 3)
		return 2;
	tell_who_is_left_out();
	soak_plugin = argv[1];
	snprintf(live, sizeof(live), "/tmp/selfmon-soak-%d", (int)getpid());
	options.live = live;
	options.output = NULL;
	options.events = "page-faults";
	if (selfmon_configure(&options))
		return 2;
	sigaction(SIGUSR1, &action, NULL);
	soak(atol(argv[2]));
	unlink(live);
	return 0;
}
