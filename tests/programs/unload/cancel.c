/* SPDX-License-Identifier: MIT */
/*
 * A thread loads PLUGIN, visits its regions, unloads it and waits. Unloading
 * must not disable the thread's cancellation.
 *
 * cancel PLUGIN
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

#define SECONDS 30

static pthread_barrier_t unloaded;
static const char *path;
static const char *why;

static void visit_and_unload(void)
{
	void *const plugin = dlopen(path, RTLD_NOW);
	int (*work)(void);

	if (!plugin) {
		why = dlerror();
		return;
	}
	*(void **)&work = dlsym(plugin, "work");
	work();
	dlclose(plugin);
}

static void *wait_for_ever(void *unused)
{
	visit_and_unload();
	pthread_barrier_wait(&unloaded);
	for (;;)
		pause();
	return unused;
}

int main(int argc, char **argv)
{
	pthread_t thread;
	void *result;

	path = argc > 1 ? argv[1] : "";
	pthread_barrier_init(&unloaded, NULL, 2);
	if (pthread_create(&thread, NULL, wait_for_ever, NULL))
		return 2;
	pthread_barrier_wait(&unloaded);
	if (why) {
		fprintf(stderr, "cancel: %s\n", why);
		return 2;
	}
	alarm(SECONDS); /* SIGALRM ends a program whose thread hangs */
	pthread_cancel(thread);
	if (pthread_join(thread, &result))
		return 2;
	return result != PTHREAD_CANCELED;
}
