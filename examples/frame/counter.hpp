/* SPDX-License-Identifier: MIT */
/* A job waits for its children by counting them, as in Naughty Dog's engine. */
#ifndef COUNTER_HPP
#define COUNTER_HPP

#include <atomic>

class FiberJob;

/*
 * Counts the children of a job that are not done, plus one for the job itself
 * until the worker has left the job's stack. The worker that sets the count to
 * 0 continues the job. So the job is resumed only after its stack was left, and
 * no other thread uses the counter afterwards.
 */
class Counter {
public:
	void add() noexcept { left.fetch_add(1, std::memory_order_relaxed); }
	/*
	 * Called when a child is done. Returns the waiting job if this child
	 * was the last one, else NULL.
	 */
	FiberJob *done() noexcept
	{
		return left.fetch_sub(1, std::memory_order_acq_rel) == 1
			       ? waiting
			       : nullptr;
	}
	/*
	 * Called when the job's stack was left. Returns the job if no child is
	 * left, else NULL.
	 */
	FiberJob *wait(FiberJob *job) noexcept
	{
		waiting = job;
		return done();
	}

private:
	std::atomic<unsigned int> left{ 1 };
	FiberJob *waiting = nullptr;
};

#endif
