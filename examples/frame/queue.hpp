/* SPDX-License-Identifier: MIT */
/* A worker's jobs, which other workers may steal. */
#ifndef QUEUE_HPP
#define QUEUE_HPP

#include <deque>
#include <mutex>

class FiberJob;

/*
 * The worker takes its newest job, whose data is in its cache. Others steal the
 * oldest, which has the most work below it. pop() and steal() return NULL if
 * there is no job.
 */
class Queue {
public:
	void push(FiberJob *job)
	{
		const std::lock_guard<std::mutex> hold(lock);

		jobs.push_back(job);
	}
	FiberJob *pop()
	{
		const std::lock_guard<std::mutex> hold(lock);

		if (jobs.empty())
			return nullptr;
		FiberJob *const newest = jobs.back();
		jobs.pop_back();
		return newest;
	}
	FiberJob *steal()
	{
		const std::lock_guard<std::mutex> hold(lock);

		if (jobs.empty())
			return nullptr;
		FiberJob *const oldest = jobs.front();
		jobs.pop_front();
		return oldest;
	}

private:
	std::mutex lock;
	std::deque<FiberJob *> jobs;
};

#endif
