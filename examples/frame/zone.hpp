/* SPDX-License-Identifier: MIT */
/*
 * A zone is a region for the totals, and also stores its time in this frame. By
 * default the library keeps statistics of all visits, but no single visits. A
 * program that needs the details of one frame therefore gets the time of each
 * zone before the zone ends.
 */
#ifndef ZONE_HPP
#define ZONE_HPP

#include <selfmon.hpp>

/*
 * One visit. The name belongs to the library: the visit's module may be
 * unloaded.
 */
struct Sample {
	const char *name;
	std::uint64_t ticks;
	unsigned int depth;
};

/* The visits of one frame, in the order in which they began. */
struct Trail {
	static constexpr unsigned int ROOM = 1024; /* further visits are not
						      stored */

	unsigned int count, depth;
	Sample sample[ROOM];

	Sample *begin(selfmon::Name name) noexcept
	{
		if (count == ROOM)
			return nullptr;
		sample[count] = { name.c_str(), 0, depth++ };
		return &sample[count++];
	}
};

/* The calling thread's trail; NULL for threads without one. */
extern __thread Trail *trail;

/*
 * A visit that ends with the block. Declare it only as a local variable, like a
 * Region. The constructor is always inlined, like a Region's: the library must
 * see the stack of the function that has the zone.
 *
 * Do not use a zone in a job: a job may end on another thread than it began on.
 * Use a Region there.
 *
 * The argument is a Name and not a Site. A Site becomes another region when an
 * edit moves its line; a Name is identified by its text.
 */
class [[maybe_unused]] Zone {
public:
	[[gnu::always_inline]] explicit Zone(selfmon::Name name) noexcept
		: region(name), visit(trail ? trail->begin(name) : nullptr)
	{
	}
	~Zone()
	{
		if (!visit)
			return;
		visit->ticks = selfmon_region_ticks();
		trail->depth--;
	}
	Zone(const Zone &) = delete;
	Zone &operator=(const Zone &) = delete;

private:
	selfmon::Region region;
	Sample *visit;
};

#endif
