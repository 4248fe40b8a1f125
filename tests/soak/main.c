/* SPDX-License-Identifier: MIT */
/*
 * Everything at once, for SECONDS: rounds of two seconds, after each of which
 * all have come to rest, and what the process holds must be what it held after
 * the first rounds, and no visit may be missing, in the process's own report
 * and in its live file. Usage: soak PLUGIN SECONDS
 */
#define _GNU_SOURCE
#include <inttypes.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include <selfmon.h>

#include "sanitized.h"
#include "soak.h"

#define ROUND_SECONDS 2
/* Until the C library's own stacks and arenas have come to what they need. */
#define ROUNDS_FIRST 2
#define MORE_DESCRIPTORS 2
#define MORE_MAPS 40
#define MORE_KIB 8192

const char *const soak_name[SOAK_KINDS] = {
	[SOAK_SHORT] = "short",   [SOAK_NESTED] = "nested",
	[SOAK_JUMPED] = "jumped", [SOAK_SIGNAL] = "signal",
	[SOAK_PLUGIN] = "plugin", [SOAK_MANY] = "many ",
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

static void play_round(void)
{
	pthread_t thread[32];
	unsigned int i;

	soak_over = false;
	for (i = 0; i < soak_worker_count; i++)
		if (pthread_create(&thread[i], NULL, soak_workers[i], NULL))
			soak_fail("no more threads");
	sleep(ROUND_SECONDS);
	__atomic_store_n(&soak_over, true, __ATOMIC_RELAXED);
	for (i = 0; i < soak_worker_count; i++)
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
	/* A sanitizer keeps what was freed, and has maps of its own. */
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

static void soak(long seconds)
{
	const time_t end = time(NULL) + seconds;
	struct soak_held first = { 0 }, now = { 0 };
	uint64_t visits = 0;
	int round = 0;
	size_t k;

	do {
		play_round();
		check_visits();
		soak_hold(&now);
		if (++round <= ROUNDS_FIRST)
			first = now;
		check_held(&first, &now);
	} while (time(NULL) < end || round <= ROUNDS_FIRST);
	for (k = 0; k < SOAK_KINDS; k++)
		visits += soak_done[k];
	printf("soak: %d rounds, %" PRIu64 " visits, none lost; %ld "
	       "descriptors, %ld maps, %ld KiB, after the first rounds %ld, "
	       "%ld, %ld\n", round, visits, now.descriptors, now.maps,
	       now.resident_kib, first.descriptors, first.maps,
	       first.resident_kib);
}

int main(int argc, char **argv)
{
	const struct sigaction action = { .sa_handler = soak_handle,
					  .sa_flags = SA_RESTART };
	struct selfmon_options options = SELFMON_OPTIONS_INIT;

	if (argc < 3)
		return 2;
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
