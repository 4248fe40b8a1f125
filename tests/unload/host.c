/* SPDX-License-Identifier: MIT */
/* Unloads a plugin while a thread that visited its regions lives on. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
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
	dlclose(plugin);
	pthread_barrier_wait(&step);
	pthread_join(thread, NULL);
	puts("unload: a thread outlived the plugin it had visited");
	return 0;
}
