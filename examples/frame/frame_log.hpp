/* SPDX-License-Identifier: MIT */
/* Finds the slowest frame, and what its zones and counters show. */
#ifndef FRAME_LOG_HPP
#define FRAME_LOG_HPP

#include <cstdio>
#include <memory>
#include <string>

#include "worker.hpp"
#include "zone.hpp"

struct Worst {
	/* The frame's number, and the number of frames. */
	unsigned long frame, of;
	/* The frame's time, and the time of the zones directly below it. */
	std::uint64_t ns, parts_ns;
	std::string most;              /* the zone with the most self time */
	std::uint64_t most_ns;
	std::string job;               /* the job that ran longest */
	std::uint64_t job_ns;
	std::string line;              /* the members above as text */
};

/*
 * Logs the frames of the calling thread. Keeps two frames: the slowest so far,
 * and the current frame, whose memory is reused.
 */
class FrameLog {
public:
	/*
	 * Counters are read per frame, not in each zone: without user reads,
	 * each zone would make two system calls.
	 */
	FrameLog() : set(selfmon::CounterSet::open(
		"cycles,instructions,task-clock,page-faults,context-switches"))
	{
		selfmon_prepare();
		selfmon_clock(); /* may take 1 ms at the first call */
	}
	/* Switches regions and this log on or off. */
	void enable(bool wanted) { selfmon_enable(on = wanted); }

	void begin(unsigned long number)
	{
		if (!on)
			return;
		current->number = number;
		current->trail.count = current->trail.depth = 0;
		trail = &current->trail;
		if (set)
			set.begin(start);
	}
	void end(const Longest &job)
	{
		selfmon::Snapshot stop;

		if (!on)
			return;
		if (set)
			set.end(stop);
		trail = nullptr;
		if (frames++ != 0 && ns(current->trail.sample[0]) <=
				     ns(worst->trail.sample[0]))
			return;
		if (set)
			current->cost = set.delta(start, stop);
		current->job = job;
		std::swap(current, worst);
	}
	/* Returns the slowest frame since the last call. Needs at least one. */
	Worst take()
	{
		const Trail &of = worst->trail;
		Worst is = { worst->number, frames, ns(of.sample[0]), 0, "", 0,
			     std::string(worst->job.name) + " " +
				     std::to_string(worst->job.number),
			     ns(worst->job.ticks), "" };

		is.line = "frame " + std::to_string(is.frame) + ", worst of " +
			  std::to_string(is.of) + ": " + ms(is.ns);
		for (unsigned int i = 0; i < of.count; i++) {
			const std::uint64_t own = own_ns(of, i);

			if (own > is.most_ns) {
				is.most = of.sample[i].name;
				is.most_ns = own;
			}
			if (of.sample[i].depth == 1) {
				is.parts_ns += ns(of.sample[i]);
				is.line += std::string(", ") + of.sample[i].name +
					   " " + ms(ns(of.sample[i]));
			}
		}
		is.line += "; most in " + is.most + " " + ms(is.most_ns) +
			   "; longest job " + is.job + " " + ms(is.job_ns) +
			   counts();
		frames = 0;
		return is;
	}

private:
	struct Frame {
		unsigned long number;
		selfmon::Delta cost;
		Longest job;
		Trail trail;
	};

	static std::uint64_t ns(std::uint64_t ticks)
	{
		return selfmon_clock_ns(selfmon_clock(), ticks);
	}
	static std::uint64_t ns(const Sample &of) { return ns(of.ticks); }
	static std::string ms(std::uint64_t ns)
	{
		char text[32];

		std::snprintf(text, sizeof(text), "%.2f ms", double(ns) / 1e6);
		return text;
	}
	static std::uint64_t own_ns(const Trail &of, unsigned int i)
	{
		const unsigned int depth = of.sample[i].depth;
		std::uint64_t own = ns(of.sample[i]);

		for (unsigned int k = i + 1;
		     k < of.count && of.sample[k].depth > depth; k++)
			own -= of.sample[k].depth == depth + 1
				       ? ns(of.sample[k]) : 0;
		return own;
	}
	std::string counts() const
	{
		std::string text;

		if (!set)
			return text;
		for (const selfmon::Value &value : set.values(worst->cost))
			if (value.count)
				text += std::string("; ") + value.name + " " +
					(*value.unit ? ms(*value.count)
						     : std::to_string(
							       *value.count));
		return text;
	}

	selfmon::CounterSet set;
	selfmon::Snapshot start;
	std::unique_ptr<Frame> current = std::make_unique<Frame>();
	std::unique_ptr<Frame> worst = std::make_unique<Frame>();
	unsigned long frames = 0;
	bool on = true;
};

#endif
