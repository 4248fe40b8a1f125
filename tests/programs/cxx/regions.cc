/* SPDX-License-Identifier: MIT */
/* Tests that regions and spans of selfmon.hpp end correctly and are counted. */
#include <memory>
#include <optional>
#include <thread>
#include <type_traits>
#include <vector>

#include "check.h"

#ifdef SELFMON_DISABLE
#define MEASURED 0ULL
#else
#define MEASURED 1ULL
#endif

/*
 * A visit is identified by the address of its object, so the object must not be
 * copied or moved.
 */
static_assert(!std::is_copy_constructible_v<selfmon::Region>);
static_assert(!std::is_move_constructible_v<selfmon::Region>);
static_assert(!std::is_copy_constructible_v<selfmon::Span>);
static_assert(!std::is_move_constructible_v<selfmon::Span>);
static_assert(!std::is_move_assignable_v<selfmon::Span>);
static_assert(!std::is_copy_constructible_v<selfmon::AsyncSpan>);
static_assert(std::is_nothrow_move_constructible_v<selfmon::AsyncSpan>);
static_assert(std::is_nothrow_move_assignable_v<selfmon::AsyncSpan>);
static_assert(!std::is_copy_constructible_v<selfmon::Fiber>);
static_assert(std::is_nothrow_move_constructible_v<selfmon::Fiber>);
static_assert(std::is_nothrow_move_assignable_v<selfmon::Fiber>);
static_assert(!std::is_move_constructible_v<selfmon::Site>);
static_assert(std::is_trivially_copyable_v<selfmon::Name>);
static_assert(std::is_nothrow_constructible_v<selfmon::Region, selfmon::Site &>);
static_assert(std::is_nothrow_constructible_v<selfmon::Span, selfmon::Name>);
static_assert(std::is_standard_layout_v<selfmon::Site>);

static int early(int value)
{
	static selfmon::Site site("early");
	const selfmon::Region region(site);

	if (value % 2)
		return value;
	return value / 2;
}

static void loops()
{
	static selfmon::Site outer("outer"), inner("inner");

	for (int i = 0; i < 10; i++) {
		const selfmon::Region around(outer);

		for (int k = 0; k < 5; k++) {
			const selfmon::Region within(inner);

			if (k == 3)
				break; /* ends the loop, not just the region */
		}
		early(i);
	}
}

static void ends_once()
{
	static selfmon::Site site("ended by hand");
	selfmon::Region region(site);

	region.end();
	region.end();
}

/*
 * Both regions must get the same frame address from this function. Otherwise
 * the first region would be taken for an abandoned one.
 */
static void mixes_with_macros()
{
	static selfmon::Site site("around a macro");
	const selfmon::Region around(site);

	SELFMON_SCOPE("inside of an object");
}

void check_regions()
{
	const selfmon::Name named("named");

#ifndef SELFMON_DISABLE
	CHECK(!std::strcmp(named.c_str(), "named"));
#endif
	loops();
	ends_once();
	mixes_with_macros();
	for (int i = 0; i < 3; i++)
		const selfmon::Region region(named);
	{
		SELFMON_SCOPE("by the macro");
	}

	CHECK((reported("outer") == sums{ MEASURED * 10, 0, 0 }));
	CHECK((reported("inner") == sums{ MEASURED * 40, 0, 0 }));
	CHECK((reported("early") == sums{ MEASURED * 10, 0, 0 }));
	CHECK((reported("named") == sums{ MEASURED * 3, 0, 0 }));
	CHECK((reported("ended by hand") ==
	       sums{ MEASURED * 1, 0, 0 }));
	CHECK((reported("around a macro") ==
	       sums{ MEASURED * 1, 0, 0 }));
	CHECK((reported("by the macro") ==
	       sums{ MEASURED * 1, 0, 0 }));
	for (const selfmon_row &row : selfmon::Report::take())
		if (!std::strcmp(row.name, "early"))
			CHECK(std::strstr(row.file, "regions.cc") &&
			      row.line > 0);
}

static selfmon::Span make_span()
{
	return selfmon::Span(selfmon::Name("made by a function"));
}

static void overlap()
{
	const selfmon::Name name("overlapping");
	std::vector<std::unique_ptr<selfmon::Span>> spans;

	for (int i = 0; i < 8; i++)
		spans.push_back(std::make_unique<selfmon::Span>(name));
	spans.erase(spans.begin() + 2, spans.begin() + 5);
	spans.clear();
}

void check_spans()
{
	const selfmon::Name name("entered again");
	selfmon::Span again, never;
	std::optional<selfmon::Span> held;

	overlap();
	{
		selfmon::Span made = make_span();

		early(1);
	}
	for (int i = 0; i < 4; i++)
		again.enter(name);
	again.leave();
	again.leave();
	held.emplace(selfmon::Name("in an optional"));
	held.reset();

	CHECK((reported("overlapping") == sums{ MEASURED * 8, 0, 0 }));
	CHECK((reported("made by a function") ==
	       sums{ MEASURED * 1, 0, 0 }));
	CHECK((reported("entered again") ==
	       sums{ MEASURED * 4, 0, 0 }));
	CHECK((reported("in an optional") ==
	       sums{ MEASURED * 1, 0, 0 }));
}

/* Returns the visits, the sum and the maximum of a unit in a region. */
static sums counted(const char *region, const char *name)
{
	const selfmon::Report report = selfmon::Report::take();
	std::size_t at = 0;

	for (const selfmon_row &row : report) {
		for (std::size_t i = 0; i < report.units(); i++) {
			const auto unit = report.unit(at, i);

			if (unit && unit->visits &&
			    !std::strcmp(row.name, region) &&
			    !std::strcmp(unit->name, name))
				return sums{ unit->visits, unit->sum,
					     unit->max };
		}
		at++;
	}
	return sums{ 0, 0, 0 };
}

void check_units()
{
	const selfmon::Unit rows("rows"), strange("strange name");
	const selfmon::Name name("query");

	CHECK(static_cast<bool>(rows) == (MEASURED == 1));
	CHECK(!strange);
	for (std::uint64_t i = 1; i <= 3; i++) {
		const selfmon::Region region(name);

		rows.count(i);
		rows.count(10);
		strange.count(1000);
	}
	CHECK((counted("query", "rows") ==
	       sums{ MEASURED * 3, MEASURED * 36, MEASURED * 13 }));
}

/*
 * Returns how many detached spans of a name ended, how many of them on another
 * thread, and how many are open.
 */
static sums detached(const char *name)
{
	const selfmon::Report report = selfmon::Report::take();
	const selfmon_row *const row = report.spans().find(name);

	return row ? sums{ row->visits, row->elsewhere, row->open }
		   : sums{ 0, 0, 0 };
}

void check_async_spans()
{
	const selfmon::Name name("detached");
	std::vector<selfmon::AsyncSpan> spans;
	selfmon::AsyncSpan one(name), two, never;

	for (int i = 0; i < 20; i++) /* moved as the vector grows */
		spans.emplace_back(name);
	two = std::move(one);
	two.bytes(10);
	two.items(1);
	one.end(); /* moved from: nothing to end */
	CHECK((detached("detached") == sums{ 0, 0, MEASURED * 21 }));
	two.begin(name); /* ends the previous visit */
	two.drop();
	two.end();
	std::thread([&] { spans.clear(); }).join();
	CHECK((detached("detached") ==
	       sums{ MEASURED * 21, MEASURED * 20, MEASURED * 1 }));
	{
		const selfmon::AsyncSpan to_the_end(name);
	}
	CHECK((detached("detached") ==
	       sums{ MEASURED * 22, MEASURED * 20, MEASURED * 1 }));
}

static void visit_on(const selfmon::Fiber &fiber)
{
	static selfmon::Site site("on a fiber");

	fiber.switch_to();
	{
		const selfmon::Region region(site);
	}
	selfmon::Fiber::switch_to_own_stack();
}

static unsigned long long visits_below(const char *fiber)
{
	const selfmon::Report report = selfmon::Report::take();
	const selfmon_row *const row = report.find({ fiber, "on a fiber" });

	return row ? row->visits : 0;
}

void check_fibers()
{
	selfmon::Fiber one("first fiber"), two("second fiber");
	selfmon::Fiber own;

	CHECK((one.get() != nullptr) == MEASURED && !own.get());
	visit_on(one);
	visit_on(two);
	own = std::move(one);
	CHECK(!one.get());
	visit_on(own);
	CHECK(visits_below("first fiber") == MEASURED * 2);
	CHECK((reported("first fiber") == sums{ 0, 0, MEASURED }));
	own = std::move(two); /* destroys the first one */
	CHECK((reported("first fiber") == sums{ MEASURED, 0, 0 }));
	visit_on(own);
	visit_on(two); /* moved from: the thread's own stack */
	CHECK(visits_below("second fiber") == MEASURED * 2);
	CHECK((reported("on a fiber") == sums{ MEASURED * 5, 0, 0 }));
}

#ifdef __cpp_exceptions

static void thrower(int depth)
{
	static selfmon::Site site("thrower");
	const selfmon::Region region(site);
	selfmon::Span span(selfmon::Name("thrown through"));

	if (depth == 0)
		throw depth;
	thrower(depth - 1);
}

void check_throws()
{
	int caught = 0;

	for (int i = 0; i < 20; i++) {
		try {
			thrower(3);
		} catch (int) {
			caught++;
		}
	}

	CHECK(caught == 20);
	CHECK((reported("thrower") == sums{ MEASURED * 80, 0, 0 }));
	CHECK((reported("thrown through") ==
	       sums{ MEASURED * 80, 0, 0 }));
}

#else

void check_throws() {}

#endif
