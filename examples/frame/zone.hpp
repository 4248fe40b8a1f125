/* SPDX-License-Identifier: MIT */
/*
 * A zone: a region for the totals, and its time in this one frame. The library
 * keeps sums and extremes and no single visit, so a program that wants to know
 * what was in one frame asks for each before it ends, and notes it down.
 */
#ifndef ZONE_HPP
#define ZONE_HPP

#include <selfmon.hpp>

/* One visit. Its name is the library's: the module it is from may be gone. */
struct Sample {
	const char *name;
	std::uint64_t ticks;
	unsigned int depth;
};

/* The visits of one frame, in the order in which they began. */
struct Trail {
	static constexpr unsigned int ROOM = 1024; /* others are not noted */

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

/* The calling thread's; NULL on those that keep none. */
extern __thread Trail *trail;

/*
 * To the end of the block: a local variable only, like the Region in it. The
 * constructor is inlined always, as a Region's own is: the library has to see
 * the stack of the function that has the zone.
 *
 * What it is called is a Name and not a Site: to the library a Site is another
 * one as soon as an edit has moved its line; a Name is its text.
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
