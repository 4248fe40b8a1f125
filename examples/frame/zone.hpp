/* SPDX-License-Identifier: MIT */
/*
 * A zone: a region for the totals, and its times for this one frame. The
 * library keeps sums and extremes and no single visit, so a program that wants
 * to know what was in one frame notes it down itself.
 */
#ifndef ZONE_HPP
#define ZONE_HPP

#include <cstdio>
#include <cstring>

#include <selfmon.hpp>

/*
 * What a zone is called. A Name and not a Site: to the library a Site is
 * another one as soon as an edit has moved its line; a Name is its text.
 */
struct Label {
	explicit Label(const char *name) : region(name)
	{
		std::snprintf(text, sizeof(text), "%s", name);
	}
	selfmon::Name region;
	char text[24];
};

/* One visit. Has the text itself: the module it is from may be gone. */
struct Sample {
	char name[sizeof(Label::text)];
	std::uint64_t begin, end;
	unsigned int depth;
};

/* The visits of one frame, in the order in which they began. */
struct Trail {
	static constexpr unsigned int ROOM = 1024; /* others are not noted */

	unsigned int count, depth;
	Sample sample[ROOM];

	Sample *begin(const Label &label) noexcept
	{
		if (count == ROOM)
			return nullptr;
		Sample &visit = sample[count++];
		std::memcpy(visit.name, label.text, sizeof(visit.name));
		visit.depth = depth++;
		visit.begin = selfmon_clock_ticks();
		return &visit;
	}
};

/* The calling thread's; NULL on those that keep none. */
extern __thread Trail *trail;

/*
 * To the end of the block: a local variable only, like the Region in it. The
 * constructor is inlined always, as a Region's own is: the library has to see
 * the stack of the function that has the zone.
 */
class [[maybe_unused]] Zone {
public:
	[[gnu::always_inline]] explicit Zone(const Label &label) noexcept
		: region(label.region),
		  visit(trail ? trail->begin(label) : nullptr)
	{
	}
	~Zone()
	{
		if (!visit)
			return;
		visit->end = selfmon_clock_ticks();
		trail->depth--;
	}
	Zone(const Zone &) = delete;
	Zone &operator=(const Zone &) = delete;

private:
	selfmon::Region region;
	Sample *visit;
};

#endif
