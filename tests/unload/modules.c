/* SPDX-License-Identifier: MIT */
/*
 * A program that loads plugins, itself with the library (shared or static) or,
 * with NO_REGIONS, without it.
 *
 *	modules reload N PLUGIN...     one after the other, N times in all
 *	modules once FLAGS PLUGIN      FLAGS: g lobal, d eepbind, k ept loaded
 *	modules full PLUGIN FILLER...  once the fillers have used up static TLS
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <malloc.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef NO_REGIONS
static void visit(void)
{
}
#else
#include <selfmon.h>

static void visit(void)
{
	SELFMON_REGION("in host")
	{
	}
}
#endif

/* Loads before the process is held against: lazy things have been made. */
#define WARM 20
#define KB_MAX 256

static int (*work)(void);
static pthread_barrier_t step;
static int fault;

static void fail(const char *what, const char *why)
{
	fprintf(stderr, "modules: %s: %s\n", what, why);
	fault = 1;
}

/* ---- a thread that works for each plugin and outlives it ----------------- */

static void *keep_working(void *unused)
{
	for (;;) {
		pthread_barrier_wait(&step);
		if (!work)
			return unused;
		work();
		pthread_barrier_wait(&step);
	}
}

static void use(const char *path, int flags, int version)
{
	void *const plugin = dlopen(path, RTLD_NOW | flags);
	int seen;

	if (!plugin) {
		fail(path, dlerror());
		return;
	}
	*(void **)&work = dlsym(plugin, "work");
	pthread_barrier_wait(&step);
	pthread_barrier_wait(&step);
	seen = work();
	if (version && seen != version)
		fail(path, "another version was loaded");
	visit();
	if (!(flags & RTLD_NODELETE))
		dlclose(plugin);
}

/* ---- what the process holds ---------------------------------------------- */

struct holds {
	long fds, maps, kb, resident_kb;
};

static struct holds holds_now(void)
{
	struct holds now = { 0, 0, 0, 0 };
	FILE *maps = fopen("/proc/self/maps", "r");
	FILE *status = fopen("/proc/self/status", "r");
	DIR *fds = opendir("/proc/self/fd");
	char line[512];

	while (fds && readdir(fds))
		now.fds++;
	while (maps && fgets(line, sizeof(line), maps))
		now.maps++;
	while (status && fgets(line, sizeof(line), status))
		if (!strncmp(line, "VmRSS:", 6))
			now.resident_kb = atol(line + 6);
		else if (!strncmp(line, "VmSize:", 7))
			now.kb = atol(line + 7);
	closedir(fds);
	fclose(maps);
	fclose(status);
	return now;
}

static void compare(const struct holds *before, const struct holds *now)
{
	char text[192];

	snprintf(text, sizeof(text),
		 "%ld descriptors, %ld maps, %ld kB, %ld resident; "
		 "before %ld, %ld, %ld, %ld",
		 now->fds, now->maps, now->kb, now->resident_kb, before->fds,
		 before->maps, before->kb, before->resident_kb);
	if (now->fds != before->fds || now->maps != before->maps ||
	    now->kb > before->kb + KB_MAX ||
	    now->resident_kb > before->resident_kb + KB_MAX)
		fail("something was not given back", text);
}

static void reload(int times, int plugins, char **plugin)
{
	struct holds before = { 0, 0, 0, 0 }, now;
	int i;

	for (i = 0; i < times && !fault; i++) {
		if (i == WARM)
			before = holds_now();
		use(plugin[i % plugins], 0, i % plugins + 1);
	}
	now = holds_now();
	if (i > WARM)
		compare(&before, &now);
}

/* ---- static TLS ---------------------------------------------------------- */

static void fill_up(int fillers, char **filler)
{
	int loaded = 0, i;

	for (i = 0; i < fillers; i++)
		if (dlopen(filler[i], RTLD_NOW))
			loaded++;
		else if (!strstr(dlerror(), "static TLS"))
			fail(filler[i], "not refused for want of static TLS");
	if (loaded == 0 || loaded == fillers)
		fail("static TLS", loaded ? "not used up" : "no room at all");
}

static int flags_of(const char *letters)
{
	return (strchr(letters, 'g') ? RTLD_GLOBAL : 0) |
	       (strchr(letters, 'd') ? RTLD_DEEPBIND : 0) |
	       (strchr(letters, 'k') ? RTLD_NODELETE : 0);
}

int main(int argc, char **argv)
{
	pthread_t thread;

	if (argc < 3)
		return 2;
	/*
	 * Once static TLS is used up the C library allocates a thread's copy
	 * of a plugin's, and for its first an arena of 64 MiB: not the
	 * library's to give back.
	 */
	mallopt(M_ARENA_MAX, 1);
	pthread_barrier_init(&step, NULL, 2);
	if (pthread_create(&thread, NULL, keep_working, NULL))
		return 2;
	visit();
	if (!strcmp(argv[1], "reload")) {
		reload(atoi(argv[2]), argc - 3, argv + 3);
	} else if (!strcmp(argv[1], "once")) {
		use(argv[3], flags_of(argv[2]), 0);
	} else {
		fill_up(argc - 3, argv + 3);
		use(argv[2], RTLD_NODELETE, 0);
	}
	visit();
	work = NULL;
	pthread_barrier_wait(&step);
	pthread_join(thread, NULL);
	return fault;
}
