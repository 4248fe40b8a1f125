/* SPDX-License-Identifier: MIT */
/*
 * Idle fibers, kept for later jobs. The total number of fibers, idle or not, is
 * the largest number of jobs that were running or waiting at the same time.
 */
#ifndef FIBERS_HPP
#define FIBERS_HPP

#include <memory>
#include <mutex>
#include <vector>

#include "fiber.hpp"

class Fibers {
public:
	std::unique_ptr<Fiber> take()
	{
		const std::lock_guard<std::mutex> hold(lock);

		if (idle.empty())
			return std::make_unique<Fiber>();
		std::unique_ptr<Fiber> fiber = std::move(idle.back());
		idle.pop_back();
		return fiber;
	}
	void put(std::unique_ptr<Fiber> fiber)
	{
		const std::lock_guard<std::mutex> hold(lock);

		idle.push_back(std::move(fiber));
	}

private:
	std::mutex lock;
	std::vector<std::unique_ptr<Fiber>> idle;
};

#endif
