/* SPDX-License-Identifier: MIT */
/*
 * A program that loads plugins. The program itself is linked with the library
 * (shared or static) or, if compiled with NO_REGIONS, without it.
 *
 *	modules reload N PLUGIN...     loads the plugins in turn, N times in all
 *	modules copies N PLUGIN        the same; PLUGIN has the static library,
 *	                               whose events must stop when it is unloaded
 *	modules alone N PLUGIN         like copies; only main() calls PLUGIN
 *	modules once FLAGS PLUGIN      g: global, d: deepbind, k: kept loaded
 *	modules full PLUGIN FILLER...  loads PLUGIN when static TLS is used up
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <malloc.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

/*
 * Number of loads before measuring, since some memory is only allocated at
 * first use.
 */
#define WARM 20
#define KB_MAX 256

/*
 * Upper limits of what a static copy may leave behind at each unload. The
 * descriptors are those of the two events of keep_working(), whose thread
 * continues.
 */
#define COPY_FDS 2
#define COPY_MAPS 8
#define COPY_KB 4096
#define COPY_RESIDENT_KB 128

static int (*work)(void);
static pthread_barrier_t step;
static int alone;
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

static void let_it_work(void)
{
	pthread_barrier_wait(&step);
	pthread_barrier_wait(&step);
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
	if (!alone)
		let_it_work();
	seen = work();
	if (version && seen != version)
		fail(path, "another version was loaded");
	visit();
	if (!(flags & RTLD_NODELETE))
		dlclose(plugin);
}

/* ---- resources of the process -------------------------------------------- */

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

static void compare(const struct holds *before, const struct holds *now,
		    const struct holds *more)
{
	char text[192];

	snprintf(text, sizeof(text),
		 "%ld descriptors, %ld maps, %ld kB, %ld resident; "
		 "before %ld, %ld, %ld, %ld",
		 now->fds, now->maps, now->kb, now->resident_kb, before->fds,
		 before->maps, before->kb, before->resident_kb);
	if (now->fds < before->fds || now->fds > before->fds + more->fds ||
	    now->maps < before->maps || now->maps > before->maps + more->maps ||
	    now->kb > before->kb + more->kb + KB_MAX ||
	    now->resident_kb > before->resident_kb + more->resident_kb + KB_MAX)
		fail("something was not given back", text);
}

static void reload(int times, int plugins, char **plugin,
		   const struct holds *each)
{
	struct holds before = { 0, 0, 0, 0 }, more = { 0, 0, 0, 0 }, now;
	int i;

	for (i = 0; i < times && !fault; i++) {
		if (i == WARM)
			before = holds_now();
		use(plugin[i % plugins], 0, i % plugins + 1);
		if (i < WARM)
			continue;
		more.fds += each->fds;
		more.maps += each->maps;
		more.kb += each->kb;
		more.resident_kb += each->resident_kb;
	}
	now = holds_now();
	if (i > WARM)
		compare(&before, &now, &more);
}

/* ---- events of unloaded copies ------------------------------------------- */

#define EVENTS_MAX 4096
#define VALUES 16

struct values {
	int fd;
	long size;
	unsigned long long value[VALUES];
};

static long read_values(struct values *at)
{
	char path[64], link[64] = "";

	snprintf(path, sizeof(path), "/proc/self/fd/%d", at->fd);
	if (readlink(path, link, sizeof(link) - 1) < 0 ||
	    strcmp(link, "anon_inode:[perf_event]") != 0)
		return 0;
	memset(at->value, 0, sizeof(at->value));
	return read(at->fd, at->value, sizeof(at->value));
}

/* Uses time and causes page faults, so each event that still counts grows. */
static int burn(void)
{
	char *const memory = malloc(1 << 20);
	volatile unsigned int i;

	for (i = 0; memory && i < 1 << 20; i++)
		((volatile char *)memory)[i] = 1;
	free(memory);
	return 0;
}

/*
 * Expects that the events of unloaded copies no longer count. Returns the
 * number of events.
 */
static int look_at_events(void)
{
	static struct values before[EVENTS_MAX];
	struct values now;
	int fd, events = 0;

	for (fd = 0; fd < EVENTS_MAX; fd++) {
		before[fd].fd = fd;
		before[fd].size = read_values(&before[fd]);
	}
	work = burn;
	let_it_work();
	burn();
	for (fd = 0; fd < EVENTS_MAX; fd++) {
		now = before[fd];
		if (before[fd].size <= 0)
			continue;
		events++;
		if (read_values(&now) != before[fd].size ||
		    memcmp(now.value, before[fd].value, sizeof(now.value)) != 0)
			fail("an event", "counts for a copy that is gone");
	}
	return events;
}

static void reload_copies(int times, char **plugin)
{
	const struct holds each = { alone ? 0 : COPY_FDS, COPY_MAPS, COPY_KB,
				    COPY_RESIDENT_KB };

	reload(times, 1, plugin, &each);
	printf("%d events stand still\n", look_at_events());
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
	 * When static TLS is used up, the C library allocates each thread's
	 * copy of a plugin's TLS. With the first copy, it allocates an arena of
	 * 64 MiB, which the library cannot release.
	 */
	mallopt(M_ARENA_MAX, 1);
	pthread_barrier_init(&step, NULL, 2);
	if (pthread_create(&thread, NULL, keep_working, NULL))
		return 2;
	visit();
	alone = !strcmp(argv[1], "alone");
	if (!strcmp(argv[1], "reload")) {
		static const struct holds none;

		reload(atoi(argv[2]), argc - 3, argv + 3, &none);
	} else if (alone || !strcmp(argv[1], "copies")) {
		reload_copies(atoi(argv[2]), argv + 3);
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
