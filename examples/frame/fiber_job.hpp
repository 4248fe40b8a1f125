/* SPDX-License-Identifier: MIT */
#ifndef FIBER_JOB_HPP
#define FIBER_JOB_HPP

#include "fibers.hpp"
#include "job.hpp"
#include "worker.hpp"

class FiberJob final : public Job {
public:
	/*
	 * `counter` counts the children of the job that waits for this job.
	 * NULL: the engine itself waits for this job.
	 */
	FiberJob(const Kind &of, World &with, unsigned int which,
		 Counter *counter)
		: kind(of), number(which), parent(counter), world(with)
	{
	}

	void spawn(const Kind &child, unsigned int which,
		   Counter &children) override
	{
		children.add();
		worker->push(new FiberJob(child, world, which, &children));
	}
	void wait(Counter &children) override
	{
		waits++;
		awaits = &children;
		fiber->suspend();
	}

	/* Runs the job until it waits or ends. Returns false at its end. */
	bool run(Worker &by, Fibers &fibers)
	{
		worker = &by;
		if (!fiber)
			begin(fibers.take());
		if (fiber->run())
			return true;
		fibers.put(std::move(fiber));
		return false;
	}
	bool moved() const { return worker != first; }

	const Kind &kind;
	const unsigned int number;
	Counter *const parent;
	Counter *awaits = nullptr;
	unsigned int waits = 0;
	std::uint64_t ticks = 0; /* time that the job ran, without waits */

private:
	void begin(std::unique_ptr<Fiber> on)
	{
		first = worker;
		fiber = std::move(on);
		fiber->begin([this] { work(); });
	}
	void work()
	{
		const selfmon::Region region(kind.name);

		kind.work(*this, world, number);
		ticks = selfmon_region_ticks();
	}

	World &world;
	Worker *worker = nullptr, *first = nullptr;
	std::unique_ptr<Fiber> fiber;
};

#endif
