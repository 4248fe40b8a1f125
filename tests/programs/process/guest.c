/* SPDX-License-Identifier: MIT */
/*
 * Inspects its own process before and after it uses the library. Prints what
 * has changed, one change in each line. tests/tools/process.py compares these
 * lines with docs/PROCESS.md.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fenv.h>
#include <inttypes.h>
#include <locale.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <selfmon.h>

#define THREADS 8
#define STATE_MAX 65536
/*
 * The numbers of the library's descriptors begin here, or at half of
 * RLIMIT_NOFILE if that is less.
 */
#define LEAST 1024
#define ERRNO_HERE 12345

extern char **environ;

struct maps {
	uint64_t bytes;
	int executable;
};

/*
 * Returns the size of all mappings, and the number of executable mappings.
 * Leaves out mappings with a name in brackets: the heap, the main stack, and
 * mappings of the kernel such as [vdso].
 */
static struct maps maps_now(void)
{
	struct maps maps = { 0 };
	char line[512], mode[8], name[256];
	uint64_t start, end;
	FILE *const file = fopen("/proc/self/maps", "r");

	while (file && fgets(line, sizeof(line), file)) {
		name[0] = '\0';
		if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %7s %*s %*s %*s %255s",
			   &start, &end, mode, name) < 3 || *name == '[')
			continue;
		maps.bytes += end - start;
		maps.executable += mode[2] == 'x';
	}
	if (file)
		fclose(file);
	return maps;
}

static int entries(const char *path)
{
	const struct dirent *entry;
	DIR *const folder = opendir(path);
	int count = 0;

	while (folder && (entry = readdir(folder)))
		count += entry->d_name[0] != '.';
	if (folder)
		closedir(folder);
	return count;
}

/* The open directory itself has a descriptor, which does not count. */
static int descriptors(void)
{
	return entries("/proc/self/fd") - 1;
}

struct descriptors {
	int inherited, low;
};

static struct descriptors look_at_descriptors(void)
{
	struct descriptors found = { 0 };
	struct rlimit limit = { .rlim_cur = 0 };
	int fd, least;

	getrlimit(RLIMIT_NOFILE, &limit);
	least = limit.rlim_cur < 2 * LEAST ? (int)limit.rlim_cur / 2 : LEAST;

	for (fd = 3; fd < 65536; fd++) {
		const int flags = fcntl(fd, F_GETFD);

		if (flags < 0)
			continue;
		found.inherited += !(flags & FD_CLOEXEC);
		found.low += fd < least;
	}
	return found;
}

static void say_descriptors(const struct descriptors *before)
{
	const struct descriptors now = look_at_descriptors();

	printf("descriptors without close-on-exec: %d\n",
	       now.inherited - before->inherited);
	printf("descriptors with lower numbers: %d\n", now.low - before->low);
}

/* ---- state that must not change ------------------------------------------ */

static void say_handlers(FILE *to)
{
	struct sigaction action;
	int i;

	for (i = 1; i < NSIG; i++)
		if (!sigaction(i, NULL, &action))
			fprintf(to, "signal %d %p %#x\n", i,
				(void *)(uintptr_t)action.sa_sigaction,
				(unsigned int)action.sa_flags);
}

static void say_thread(FILE *to)
{
	sigset_t mask;
	stack_t stack;
	int i, state, type;

	pthread_sigmask(SIG_SETMASK, NULL, &mask);
	for (i = 1; i < NSIG; i++)
		if (sigismember(&mask, i) == 1)
			fprintf(to, "blocked %d\n", i);
	sigaltstack(NULL, &stack);
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
	pthread_setcancelstate(state, NULL);
	pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED, &type);
	pthread_setcanceltype(type, NULL);
	fprintf(to, "signal stack %p %#x, cancellation %d %d, rounding %d\n",
		stack.ss_sp, (unsigned int)stack.ss_flags, state, type,
		fegetround());
}

static void say_process(FILE *to)
{
	const mode_t umask_now = umask(0);
	char folder[512] = "";
	struct rlimit limit;
	char **entry;
	int i;

	umask(umask_now);
	for (entry = environ; *entry; entry++)
		fprintf(to, "environment %p %s\n", (void *)*entry, *entry);
	for (i = 0; i < RLIM_NLIMITS; i++)
		if (!getrlimit((__rlimit_resource_t)i, &limit))
			fprintf(to, "limit %d %" PRIu64 " %" PRIu64 "\n", i,
				(uint64_t)limit.rlim_cur,
				(uint64_t)limit.rlim_max);
	fprintf(to, "folder %s, umask %o, locale %s\n",
		getcwd(folder, sizeof(folder)) ? folder : "", umask_now,
		setlocale(LC_ALL, NULL));
}

static void say_state(char text[STATE_MAX])
{
	FILE *const to = fmemopen(text, STATE_MAX, "w");

	if (!to)
		exit(2);
	say_handlers(to);
	say_thread(to);
	say_process(to);
	fclose(to);
}

/* Prints the beginning of each line that differs between the two states. */
static void compare_states(const char *what, char *before, char *after)
{
	char *next_before = NULL, *next_after = NULL;
	char *a = strtok_r(before, "\n", &next_before);
	char *b = strtok_r(after, "\n", &next_after);
	int differ = 0;

	for (; a && b; a = strtok_r(NULL, "\n", &next_before),
		       b = strtok_r(NULL, "\n", &next_after)) {
		if (!strcmp(a, b))
			continue;
		differ++;
		printf("%s changed: %.*s\n", what,
		       (int)strcspn(b, " ") + 3, b);
	}
	if (!differ && !a && !b)
		printf("%s changed: nothing\n", what);
}

/* ---- phases ----------------------------------------------------------------- */

static void visit(void)
{
	SELFMON_REGION("visit")
	{
		__asm__ volatile("" ::: "memory");
	}
}

static sem_t arrived, leave;

static void *visit_and_wait(void *unused)
{
	visit();
	sem_post(&arrived);
	while (sem_wait(&leave))
		;
	return unused;
}

static void *only_wait(void *unused)
{
	sem_post(&arrived);
	while (sem_wait(&leave))
		;
	return unused;
}

static void with_threads(void *(*run)(void *), struct maps *maps, int *open)
{
	pthread_t thread[THREADS];
	int i;

	for (i = 0; i < THREADS; i++)
		if (pthread_create(&thread[i], NULL, run, NULL))
			exit(2);
	for (i = 0; i < THREADS; i++)
		while (sem_wait(&arrived))
			;
	*maps = maps_now();
	*open = descriptors();
	for (i = 0; i < THREADS; i++)
		sem_post(&leave);
	for (i = 0; i < THREADS; i++)
		pthread_join(thread[i], NULL);
}

static void print_growth(const char *what, const struct maps *before,
		       const struct maps *after)
{
	printf("%s: %" PRIi64 " KiB\n", what,
	       (int64_t)(after->bytes - before->bytes) / 1024);
}

static void first_visit(void)
{
	const void *const heap = sbrk(0);
	struct maps before, after;
	int open;

	maps_now(); /* allocates stdio's buffers before they are measured */
	open = descriptors();
	before = maps_now();
	feclearexcept(FE_ALL_EXCEPT);
	errno = ERRNO_HERE;
	visit();
	printf("errno after the first visit: %s\n",
	       errno == ERRNO_HERE ? "unchanged" : "changed");
	printf("floating-point exceptions after the first visit: %s\n",
	       fetestexcept(FE_ALL_EXCEPT) ? "some" : "none");
	after = maps_now();
	print_growth("first visit", &before, &after);
	printf("executable maps: %d more\n",
	       after.executable - before.executable);
	printf("descriptors after the first visit: %d\n",
	       descriptors() - open);
	printf("heap after the first visit: %s\n",
	       sbrk(0) == heap ? "unchanged" : "grown");
	printf("threads: %d\n", entries("/proc/self/task"));
}

static void more_threads(void)
{
	struct maps without, with, after;
	int open_without, open_with;

	with_threads(only_wait, &without, &open_without);
	with_threads(visit_and_wait, &with, &open_with);
	print_growth("8 more threads", &without, &with);
	printf("descriptors of 8 more threads: %d\n",
	       open_with - open_without);
	with_threads(visit_and_wait, &after, &open_without);
	print_growth("8 more after these have ended", &with, &after);
	printf("descriptors after their end: %d\n", descriptors() - open_with);
}

static void take_report(void)
{
	struct selfmon_report *report;

	if (selfmon_report_take(&report))
		exit(2);
	selfmon_report_free(report);
}

int main(void)
{
	static char before[STATE_MAX], after[STATE_MAX];
	const struct descriptors inherited = look_at_descriptors();

	sem_init(&arrived, 0, 0);
	sem_init(&leave, 0, 0);
	setvbuf(stdout, NULL, _IOLBF, 0);
	say_state(before);
	first_visit();
	say_descriptors(&inherited);
	more_threads();
	errno = ERRNO_HERE;
	visit();
	printf("errno after a visit: %s\n",
	       errno == ERRNO_HERE ? "unchanged" : "changed");
	take_report();
	say_state(after);
	compare_states("process", before, after);
	return 0;
}
