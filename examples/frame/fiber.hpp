/* SPDX-License-Identifier: MIT */
/*
 * A stack that runs one job after another, and the visits that are open on it.
 * The library's functions for fibers are only called in this file.
 */
#ifndef FIBER_HPP
#define FIBER_HPP

#include <functional>
#include <utility>

#include <boost/context/fiber.hpp>
#include <boost/context/fixedsize_stack.hpp>

#include <selfmon.hpp>

class Fiber {
public:
	/*
	 * Fibers with the same name share a row; the rows of jobs are below
	 * this row. The library's fiber is kept together with the stack,
	 * because creating one takes a lock.
	 */
	Fiber()
		: visits("jobs"),
		  stack(std::allocator_arg,
			boost::context::fixedsize_stack(STACK),
			[this](boost::context::fiber &&caller) {
				thread = std::move(caller);
				while (work) {
					work();
					work = nullptr;
					suspend();
				}
				return std::move(thread);
			})
	{
	}
	/*
	 * Resumes the stack without work: its function then returns, and Boost
	 * frees the stack.
	 */
	~Fiber() { stack = std::move(stack).resume(); }
	Fiber(const Fiber &) = delete;
	Fiber &operator=(const Fiber &) = delete;

	/* Sets the work, which one or more calls of run() will do. */
	void begin(std::function<void()> given) { work = std::move(given); }
	/*
	 * Runs in the calling thread until it is suspended. Returns false if
	 * the work is done.
	 */
	bool run()
	{
		visits.switch_to();
		stack = std::move(stack).resume();
		return work != nullptr;
	}
	/* Called by the work; returns in the thread that runs it next. */
	void suspend()
	{
		selfmon::Fiber::switch_to_own_stack();
		thread = std::move(thread).resume();
	}

private:
	static constexpr std::size_t STACK = 64 << 10;

	std::function<void()> work;
	selfmon::Fiber visits;
	boost::context::fiber thread, stack;
};

#endif
