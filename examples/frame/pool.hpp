/* SPDX-License-Identifier: MIT */
/* Workers, with a zone per worker around every job. */
#ifndef POOL_HPP
#define POOL_HPP

#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "game.hpp"
#include "zone.hpp"

class Pool {
public:
	using Job = void (*)(World &world, unsigned int i);

	explicit Pool(unsigned int workers) : done(workers)
	{
		for (unsigned int i = 0; i < workers; i++)
			threads.emplace_back([this, i] { serve(i); });
	}
	~Pool()
	{
		lock.lock();
		stop = true;
		lock.unlock();
		wake.notify_all();
		for (std::thread &thread : threads)
			thread.join();
	}

	/* Runs jobs 0 to count - 1 on any worker; returns when all are done. */
	void run(Job work, World &with, unsigned int count)
	{
		std::unique_lock<std::mutex> hold(lock);

		job = work;
		world = &with;
		left = undone = count;
		wake.notify_all();
		idle.wait(hold, [this] { return undone == 0; });
	}

private:
	void serve(unsigned int worker)
	{
		const selfmon::Name name(
			("worker " + std::to_string(worker)).c_str());

		selfmon_thread_prepare(); /* now, not in the first frame */
		std::unique_lock<std::mutex> hold(lock);
		for (;;) {
			wake.wait(hold, [this] { return stop || left > 0; });
			if (stop)
				return;
			const unsigned int i = --left;
			hold.unlock();
			{
				const Zone zone(name);
				job(*world, i);
			}
			hold.lock();
			done[worker]++;
			if (--undone == 0)
				idle.notify_one();
		}
	}

	std::mutex lock;
	std::condition_variable wake, idle;
	Job job = nullptr;
	World *world = nullptr;
	unsigned int left = 0, undone = 0;
	bool stop = false;

public:
	std::vector<unsigned long> done; /* number of jobs by worker */

private:
	std::vector<std::thread> threads; /* last: the threads use all of the
					     above */
};

#endif
