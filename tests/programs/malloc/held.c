/* SPDX-License-Identifier: MIT */
/*
 * A thread makes its first visit in a signal handler that interrupted
 * malloc(3). This program's allocator reports calls by the thread that holds
 * its lock. Any other allocator would wait forever.
 *
 * held: the plain case. held keys: the process has created more keys than the C
 * library stores in a thread's own memory, so the first visit allocates. held
 * prepared: the thread was prepared, so the first visit does not allocate.
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <selfmon.h>

#define ARENA_SIZE (64 << 20)

static char *arena;
static size_t used;
#define KEYS 40

static __thread volatile int holding;
static volatile int in_handler, calls_in_handler;
static bool with_keys, prepared;

static void check_not_held(void)
{
	static const char text[] = "malloc: the library allocates while its "
				   "thread is in malloc\n";

	if (!holding)
		return;
	if (!calls_in_handler++ && !with_keys &&
	    write(2, text, sizeof(text) - 1) < 0)
		_exit(2);
}

/* Stores the size in front of each piece. Memory is never released. */
void *malloc(size_t size)
{
	const size_t whole = (size + 31) & ~(size_t)15;
	size_t at;

	check_not_held();
	if (!arena)
		arena = mmap(NULL, ARENA_SIZE, PROT_READ | PROT_WRITE,
			     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	at = __atomic_fetch_add(&used, whole, __ATOMIC_RELAXED);
	if (at + whole > ARENA_SIZE) {
		errno = ENOMEM;
		return NULL;
	}
	*(size_t *)(void *)(arena + at) = size;
	return arena + at + 16;
}

void free(void *piece)
{
	if (piece) /* qsort(3) releases NULL if it sorted on the stack */
		check_not_held();
}

void *calloc(size_t n, size_t size)
{
	return malloc(n * size); /* fresh memory from the kernel is zero */
}

void *realloc(void *piece, size_t size)
{
	void *const new = malloc(size);

	if (new &&piece)
		memcpy(new, piece,
		       size < ((size_t *)piece)[-2] ? size
						    : ((size_t *)piece)[-2]);
	return new;
}

static void handler(int number)
{
	(void)number;
	in_handler++;
	SELFMON_REGION("in handler")
	{
	}
}

/*
 * Acts as if the signal had interrupted malloc. The stack is so deep here that
 * its bounds are queried, too.
 */
static void *interrupt_malloc(void *unused)
{
	volatile char frames[128 << 10];

	(void)unused;
	frames[0] = 0;
	(void)frames[0];
	if (prepared)
		selfmon_thread_prepare();
	holding = 1;
	raise(SIGUSR1);
	holding = 0;
	return NULL;
}

static int count_visits(uint64_t *visits)
{
	struct selfmon_report *report;
	size_t i;

	if (selfmon_report_take(&report))
		return -1;
	for (i = 0; i < selfmon_report_row_count(report); i++)
		*visits += selfmon_report_row(report, i)->visits;
	selfmon_report_free(report);
	return 0;
}

static void make_keys(void)
{
	pthread_key_t key;
	int i;

	for (i = 0; i < KEYS; i++)
		pthread_key_create(&key, NULL);
}

int main(int argc, char **argv)
{
	const char *const how = argc > 1 ? argv[1] : "";
	uint64_t visits = 0;
	pthread_t thread;

	prepared = !strcmp(how, "prepared");
	with_keys = !strcmp(how, "keys");
	if (prepared || with_keys)
		make_keys();
	signal(SIGUSR1, handler);
	if (pthread_create(&thread, NULL, interrupt_malloc, NULL))
		return 2;
	pthread_join(thread, NULL);
	interrupt_malloc(NULL);
	if (in_handler != 2 || with_keys != !!calls_in_handler ||
	    count_visits(&visits) || visits != 2) {
		printf("malloc: %d handlers, %d calls of the allocator in "
		       "them, %d visits\n",
		       in_handler, calls_in_handler, (int)visits);
		return 1;
	}
	if (!*how)
		printf("malloc: first visits in a handler that interrupted "
		       "it\n");
	return 0;
}
