/* SPDX-License-Identifier: MIT */
/* Calls that a job may make. The engine implements them. */
#ifndef JOB_HPP
#define JOB_HPP

#include <selfmon.hpp>

#include "counter.hpp"

struct World;
class Job;

/* A kind of job, which is a constant of the game. */
struct Kind {
	using Work = void (*)(Job &job, World &world, unsigned int number);

	Kind(const char *called, Work what) : name(called), work(what) {}

	const selfmon::Name name; /* name of the job's row in the report */
	const Work work;
};

class Job {
public:
	/* Queues a child of this job. */
	virtual void spawn(const Kind &kind, unsigned int number,
			   Counter &children) = 0;
	/*
	 * Suspends the job until all children of the counter are done. Call it
	 * once for each counter. The job may continue on another thread, so do
	 * not keep addresses of thread-local variables.
	 */
	virtual void wait(Counter &children) = 0;

protected:
	~Job() = default;
};

#endif
