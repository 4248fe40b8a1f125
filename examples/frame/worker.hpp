/* SPDX-License-Identifier: MIT */
/*
 * A worker's queue, and counts of the work that it did. Only its own thread
 * writes the counts; take_longest() of jobs.hpp resets `longest` between frames.
 */
#ifndef WORKER_HPP
#define WORKER_HPP

#include <cstdint>
#include <map>
#include <string>

#include "queue.hpp"
#include "semaphore.hpp"

/* Counts of the jobs of one name. The report must have equal counts. */
struct Tally {
	unsigned long jobs = 0;  /* jobs that ended */
	unsigned long waits = 0; /* how often a job waited for its children */
	/* jobs that began and ended on different threads */
	unsigned long moved = 0;
};

/* The job that ran longest in a frame. */
struct Longest {
	const char *name = "none";
	unsigned int number = 0;
	std::uint64_t ticks = 0; /* time that the job ran, without waits */
};

struct Worker {
	explicit Worker(Semaphore &queued) : ready(queued) {}
	void push(FiberJob *job)
	{
		queue.push(job);
		ready.post();
	}

	Semaphore &ready; /* the number of jobs in all queues */
	Queue queue;
	std::map<std::string, Tally> tally;
	Longest longest;
	unsigned long stolen = 0;
};

#endif
