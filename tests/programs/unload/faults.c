/* SPDX-License-Identifier: MIT */
/*
 * faults PLUGIN...
 *
 * Loads each plugin, makes its counter reads fault so that the guard skips
 * them, and unloads the plugin. Repeats all of that with something else at the
 * plugin's former address. Prints which function faulted.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

#define TIMES 3
#define FAULTS_MAX 2

#ifdef __x86_64__
static struct sigaction guard;
static void *volatile at[FAULTS_MAX];
static volatile int faults;

/* Stores the address of the fault, and passes the fault on to the guard. */
static void on_fault(int signo, siginfo_t *info, void *context)
{
	const greg_t *const reg = ((ucontext_t *)context)->uc_mcontext.gregs;

	if (faults < FAULTS_MAX)
		at[faults] = (void *)reg[REG_RIP];
	faults++;
	guard.sa_sigaction(signo, info, context);
}

/*
 * The first set that is opened installs the guard. This function then installs
 * a handler in front of the guard.
 */
static int work_noted(int (*work)(void))
{
	struct sigaction mine;
	int taken;

	if (work() != FAULTS_MAX)
		return -1;
	memset(&mine, 0, sizeof(mine));
	mine.sa_sigaction = on_fault;
	mine.sa_flags = SA_SIGINFO;
	faults = 0;
	sigaction(SIGSEGV, &mine, &guard);
	taken = guard.sa_flags & SA_SIGINFO ? work() : -1;
	sigaction(SIGSEGV, &guard, NULL);
	return taken;
}

/* Returns true if both faults are in this plugin. */
static int is_there(const char *path)
{
	Dl_info info;
	int i;

	for (i = 0; i < FAULTS_MAX; i++) {
		if (!dladdr(at[i], &info) || strcmp(info.dli_fname, path) != 0)
			return 0;
		printf("%s: %s\n", path, info.dli_sname ? info.dli_sname : "?");
	}
	return 1;
}

/* Returns true if there is no guard, or its code is loaded. */
static int is_guard_there(void)
{
	struct sigaction now;
	Dl_info info;

	sigaction(SIGSEGV, NULL, &now);
	return now.sa_handler == SIG_DFL ||
	       dladdr(*(void **)&now.sa_sigaction, &info);
}

/*
 * Maps a page at the address, so that the plugin is loaded elsewhere next time.
 */
static void take_place(void *base)
{
	mmap(base, 1, PROT_NONE,
	     MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
}

static const char *try_plugin(const char *path)
{
	void *const plugin = dlopen(path, RTLD_NOW);
	struct link_map *map;
	int (*work)(void);
	void *base;
	int taken;

	if (!plugin)
		return dlerror();
	*(void **)&work = dlsym(plugin, "work");
	dlinfo(plugin, RTLD_DI_LINKMAP, &map);
	base = (void *)map->l_addr;
	taken = work_noted(work);
	if (taken != FAULTS_MAX || faults != FAULTS_MAX)
		return "reads that fault were not stepped over";
	if (!is_there(path))
		return "the faults were elsewhere";
	dlclose(plugin);
	if (!is_guard_there())
		return "signals lead to where the plugin was";
	take_place(base);
	return NULL;
}

int main(int argc, char **argv)
{
	const char *why = NULL;
	int i;

	for (i = 0; i < TIMES * (argc - 1) && !why; i++) {
		const char *const path = argv[1 + i % (argc - 1)];

		why = try_plugin(path);
		if (why)
			fprintf(stderr, "faults: %s: %s\n", path, why);
	}
	return why != NULL;
}
#else
int main(void)
{
	return 77;
}
#endif
