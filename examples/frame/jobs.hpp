/* SPDX-License-Identifier: MIT */
/* Workers that run jobs on fibers, and steal jobs from each other. */
#ifndef JOBS_HPP
#define JOBS_HPP

#include <atomic>
#include <memory>
#include <thread>
#include <vector>

#include "fiber_job.hpp"

class Jobs {
public:
	explicit Jobs(unsigned int count)
	{
		for (unsigned int i = 0; i < count; i++)
			workers.push_back(std::make_unique<Worker>(ready));
		for (unsigned int i = 0; i < count; i++)
			threads.emplace_back([this, i] { serve(i); });
	}
	~Jobs()
	{
		stop = true;
		for (std::size_t i = 0; i < threads.size(); i++)
			ready.post();
		for (std::thread &thread : threads)
			thread.join();
	}

	/* Runs a job on the workers; returns when it is done. */
	void run(const Kind &kind, World &world, unsigned int number)
	{
		workers[0]->push(new FiberJob(kind, world, number, nullptr));
		done.wait();
	}

	/*
	 * Call the following functions only on the thread that calls run(),
	 * between calls.
	 */

	/* Returns the sums of the workers' tallies, by name of the job. */
	std::map<std::string, Tally> tally() const
	{
		std::map<std::string, Tally> all;

		for (const auto &worker : workers)
			for (const auto &[name, did] : worker->tally) {
				all[name].jobs += did.jobs;
				all[name].waits += did.waits;
				all[name].moved += did.moved;
			}
		return all;
	}
	unsigned long stolen() const
	{
		unsigned long all = 0;

		for (const auto &worker : workers)
			all += worker->stolen;
		return all;
	}
	/* Returns the job that ran longest since the last call. */
	Longest take_longest()
	{
		Longest is;

		for (const auto &worker : workers) {
			if (worker->longest.ticks > is.ticks)
				is = worker->longest;
			worker->longest.ticks = 0;
		}
		return is;
	}

private:
	void serve(std::size_t self)
	{
		selfmon_thread_prepare(); /* else the first frame would allocate */
		while (FiberJob *job = take(self))
			while (job)
				job = run(*workers[self], job);
	}

	/*
	 * Waits for a job: takes one from the worker's own queue, or steals one
	 * from another worker. Returns NULL once `stop` is set.
	 */
	FiberJob *take(std::size_t self)
	{
		const std::size_t count = workers.size();

		ready.wait(); /* reserves one of the queued jobs */
		for (std::size_t i = 0; !stop; i++) {
			Worker &of = *workers[(self + i) % count];
			FiberJob *const job = i % count ? of.queue.steal()
							: of.queue.pop();

			if (!job)
				continue;
			workers[self]->stolen += i % count != 0;
			return job;
		}
		return nullptr;
	}

	/*
	 * Runs a job until it waits or ends. Returns the job to continue with,
	 * or NULL. The worker that ends the last child continues the parent,
	 * whose data is in the worker's cache.
	 */
	FiberJob *run(Worker &self, FiberJob *job)
	{
		if (job->run(self, fibers))
			return job->awaits->wait(job);

		Counter *const parent = job->parent;
		note(self, *job);
		delete job;
		if (parent)
			return parent->done();
		done.post();
		return nullptr;
	}

	static void note(Worker &self, const FiberJob &job)
	{
		Tally &did = self.tally[job.kind.name.c_str()];

		did.jobs++;
		did.waits += job.waits;
		did.moved += job.moved();
		if (job.ticks > self.longest.ticks)
			self.longest = { job.kind.name.c_str(), job.number,
					 job.ticks };
	}

	Semaphore ready, done;
	Fibers fibers;
	std::vector<std::unique_ptr<Worker>> workers;
	std::atomic<bool> stop{ false };
	/* Must be the last member, because the threads use all others. */
	std::vector<std::thread> threads;
};

#endif
