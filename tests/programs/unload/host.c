/* SPDX-License-Identifier: MIT */
/* Unloads a plugin while a thread that visited its regions continues. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>

static int (*work)(void);
static pthread_barrier_t step;

static void *visit_and_live_on(void *unused)
{
	work();
	pthread_barrier_wait(&step); /* visited */
	pthread_barrier_wait(&step); /* unloaded */
	return unused;
}

/*
 * Returns true if SIGSEGV or SIGILL has a handler: the plugin's guard, or
 * another one. A read of a counter that faults raises one of these signals.
 */
static int is_handled(void)
{
	struct sigaction now[2];

	sigaction(SIGSEGV, NULL, &now[0]);
	sigaction(SIGILL, NULL, &now[1]);
	return now[0].sa_handler != SIG_DFL || now[1].sa_handler != SIG_DFL;
}

int main(int argc, char **argv)
{
	void *plugin = argc > 1 ? dlopen(argv[1], RTLD_NOW) : NULL;
	pthread_t thread;

	if (!plugin) {
		fprintf(stderr, "host: %s\n", argc > 1 ? dlerror() : "no plugin");
		return 1;
	}
	*(void **)&work = dlsym(plugin, "work");
	pthread_barrier_init(&step, NULL, 2);
	if (!work || pthread_create(&thread, NULL, visit_and_live_on, NULL))
		return 1;
	pthread_barrier_wait(&step);
	if (!is_handled()) {
		fputs("host: the plugin has installed no guard\n", stderr);
		return 1;
	}
	dlclose(plugin);
	if (is_handled()) {
		fputs("host: signals lead to where the plugin was\n", stderr);
		return 1;
	}
	pthread_barrier_wait(&step);
	pthread_join(thread, NULL);
	puts("unload: a thread outlived the plugin it had visited, and no "
	     "signal leads there");
	return 0;
}
