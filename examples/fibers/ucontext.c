/* SPDX-License-Identifier: MIT */
/*
 * A job system: 100 jobs, each a fiber by ucontext(3), on a few threads. A job
 * yields in the middle of a region and continues on any thread. The report has
 * the work of each kind of job and, separately, how long its jobs were
 * suspended.
 *
 *	cc ucontext.c $(pkg-config --cflags --libs selfmon) -pthread -o ucontext
 *	./ucontext [THREADS]
 *
 * The library's functions for fibers are called in make(), run(), yield() and
 * finish().
 */
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <ucontext.h>

#include <selfmon.h>

#define JOBS 100
#define STACK (64 << 10)

struct job {
	void (*work)(struct job *job);
	unsigned int number;
	unsigned long done; /* words or steps; regions count them as units too */
	bool finished;

	struct selfmon_fiber *fiber;
	ucontext_t context;
	ucontext_t *worker; /* context of the thread that runs the job */
	char *stack;
	struct job *next; /* in the queue */
};

/* ---- queue --------------------------------------------------------------- */

static struct {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	struct job *first, **end;
	unsigned int unfinished;
} queue = { PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, NULL,
	    &queue.first, JOBS };

static void put(struct job *job)
{
	job->next = NULL;
	pthread_mutex_lock(&queue.lock);
	*queue.end = job;
	queue.end = &job->next;
	pthread_cond_signal(&queue.changed);
	pthread_mutex_unlock(&queue.lock);
}

/* Waits for a job. Returns NULL after the last job has finished. */
static struct job *take(void)
{
	struct job *job;

	pthread_mutex_lock(&queue.lock);
	while (!queue.first && queue.unfinished)
		pthread_cond_wait(&queue.changed, &queue.lock);
	job = queue.first;
	if (job)
		queue.first = job->next;
	if (!queue.first)
		queue.end = &queue.first;
	pthread_mutex_unlock(&queue.lock);
	return job;
}

static void count_finished(void)
{
	pthread_mutex_lock(&queue.lock);
	if (--queue.unfinished == 0)
		pthread_cond_broadcast(&queue.changed);
	pthread_mutex_unlock(&queue.lock);
}

/* ---- fibers -------------------------------------------------------------- */

/* Runs the job in the calling thread until it yields. */
static void run(struct job *job)
{
	ucontext_t here;

	job->worker = &here;
	selfmon_fiber_switch(job->fiber);
	swapcontext(&here, &job->context);
}

/* Returns when a thread, maybe another one, runs the job again. */
static void yield(struct job *job)
{
	selfmon_fiber_switch(NULL);
	swapcontext(&job->context, job->worker);
}

/* makecontext(3) passes only integers, so the pointer is passed in two. */
static void begin(unsigned int high, unsigned int low)
{
	struct job *const job =
		(struct job *)(uintptr_t)((uint64_t)high << 32 | low);

	job->work(job);
	job->finished = true;
	yield(job);
}

static void make(struct job *job, const char *kind, void (*work)(struct job *))
{
	const uint64_t address = (uintptr_t)job;

	job->work = work;
	job->fiber = selfmon_fiber_create(kind);
	job->stack = malloc(STACK);
	if (!job->stack || getcontext(&job->context) != 0) {
		perror("ucontext");
		exit(1);
	}
	job->context.uc_stack.ss_sp = job->stack;
	job->context.uc_stack.ss_size = STACK;
	makecontext(&job->context, (void (*)(void))begin, 2,
		    (unsigned int)(address >> 32), (unsigned int)address);
}

static void finish(struct job *job)
{
	selfmon_fiber_destroy(job->fiber);
	free(job->stack);
	count_finished();
}

/*
 * Queues a job again only after this thread has left the job's stack, since
 * another thread may take the job at once.
 */
static void *serve(void *unused)
{
	struct job *job;

	SELFMON_REGION("worker") {
		while ((job = take())) {
			run(job);
			if (job->finished)
				finish(job);
			else
				put(job);
		}
	}
	return unused;
}

/* ---- jobs ---------------------------------------------------------------- */

static const struct selfmon_unit *words, *steps;

static void count(struct job *job, const struct selfmon_unit *unit,
		  unsigned long n)
{
	selfmon_region_count(unit, n);
	job->done += n;
}

#define BLOCKS 4
#define BLOCK 4096

/* Counts the words of a file. Yields where the job would wait for the file. */
static void parse(struct job *job)
{
	char text[BLOCK];

	for (int block = 0; block < BLOCKS; block++)
		SELFMON_REGION("block")
		{
			SELFMON_REGION("read")
			{
				yield(job);
				for (unsigned int i = 0; i < BLOCK; i++)
					text[i] = i % (job->number + 2) ? 'a'
									: ' ';
			}
			for (unsigned int i = 1; i < BLOCK; i++)
				if (text[i - 1] == ' ' && text[i] != ' ')
					count(job, words, 1);
		}
}

#define LINES 8
#define WIDTH 64

static unsigned long shade(double x, double y)
{
	unsigned long n = 0;

	for (double a = 0, b = 0, c; a * a + b * b < 4 && n < 500; n++) {
		c = a * a - b * b + x;
		b = 2 * a * b + y;
		a = c;
	}
	return n;
}

/*
 * Draws a tile of the Mandelbrot set. Yields to other jobs after half of its
 * lines.
 */
static void render(struct job *job)
{
	SELFMON_REGION("tile")
	for (int line = 0; line < LINES; line++) {
		if (line == LINES / 2)
			yield(job);
		for (int column = 0; column < WIDTH; column++)
			count(job, steps,
			      shade(-2 + 3.0 * column / WIDTH,
				    -1 + (job->number + 1.0 * line / LINES) /
						    (JOBS / 2)));
	}
}

/* ---- program ------------------------------------------------------------- */

int main(int argc, char **argv)
{
	const long threads = argc > 1 ? atol(argv[1]) : 4;
	static struct job jobs[JOBS];
	unsigned long sum[2] = { 0 };
	pthread_t thread[64];

	if (threads < 1 || threads > 64) {
		fprintf(stderr, "usage: ucontext [THREADS], at most 64\n");
		return 2;
	}
	words = selfmon_unit("words");
	steps = selfmon_unit("steps");
	for (unsigned int i = 0; i < JOBS; i++) {
		jobs[i].number = i;
		make(&jobs[i], i % 2 ? "render" : "parse",
		     i % 2 ? render : parse);
		put(&jobs[i]);
	}
	for (long i = 0; i < threads; i++)
		if (pthread_create(&thread[i], NULL, serve, NULL) != 0) {
			fprintf(stderr, "ucontext: cannot start a thread\n");
			return 1;
		}
	for (long i = 0; i < threads; i++)
		pthread_join(thread[i], NULL);
	for (unsigned int i = 0; i < JOBS; i++)
		sum[i % 2] += jobs[i].done;
	printf("parse: %d jobs, %lu words\n", JOBS / 2, sum[0]);
	printf("render: %d jobs, %lu steps\n", JOBS / 2, sum[1]);
	return 0;
}
