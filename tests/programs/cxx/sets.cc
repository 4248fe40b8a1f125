/* SPDX-License-Identifier: MIT */
/*
 * Tests counter sets and reports of selfmon.hpp: objects can be moved, not
 * copied, and a closed set returns no values. Measures even if the rest of the
 * program is compiled with SELFMON_DISABLE.
 */
#undef SELFMON_DISABLE
#include <cmath>
#include <type_traits>

#include "check.h"

static_assert(!std::is_copy_constructible_v<selfmon::CounterSet>);
static_assert(std::is_nothrow_move_constructible_v<selfmon::CounterSet>);
static_assert(std::is_nothrow_move_assignable_v<selfmon::CounterSet>);
static_assert(!std::is_copy_constructible_v<selfmon::Report>);
static_assert(std::is_nothrow_move_constructible_v<selfmon::Report>);
static_assert(!std::is_polymorphic_v<selfmon::CounterSet>);
static_assert(std::is_trivially_copyable_v<selfmon::Delta>);
static_assert(sizeof(selfmon::Delta) == sizeof(selfmon_delta));
static_assert(
	std::is_default_constructible_v<std::iterator_traits<
		selfmon::Report::iterator>::value_type>);

static volatile unsigned char memory[64 << 12];

static void touch_pages()
{
	for (std::size_t i = 0; i < sizeof(memory); i += 1 << 12)
		memory[i] = 1;
}

static void values(const selfmon::CounterSet &set, const selfmon::Delta &delta)
{
	std::size_t i = 0;

	for (const auto &[name, count, verdict, unit] : set.values(delta)) {
		const bool is_time = !std::strcmp(name, "task-clock");

		CHECK(set.find(name) == i);
		CHECK(count && count == delta.count(i));
		CHECK(verdict == delta.verdict(i));
		CHECK(!std::strcmp(unit, is_time ? "ns" : ""));
		i++;
	}
	CHECK(i == 2 && set.values(delta).size() == i);
}

static void says_what_has_no_value()
{
	const selfmon::CounterSet set =
		selfmon::CounterSet::open("page-faults,page-faults:u,cs:u");
	std::size_t without = 0;

	if (!set)
		return;
	for (const selfmon::Value &value : set.values(set.measure([] {})))
		without += !value.count;
	CHECK(set.values(set.measure([] {})).size() == 3);
	CHECK(without == 3 - set.counting());
}

static void counts()
{
	selfmon_failure failure;
	const selfmon::CounterSet set = selfmon::CounterSet::open(
		"page-faults,task-clock", 0, &failure);

	CHECK(set && set.counting() == 2 && failure.error == 0);
	if (!set)
		return;
	const selfmon::Delta delta = set.measure(touch_pages);
	const auto faults = set.find("page-faults");

	CHECK(faults && set.find("task-clock"));
	CHECK(!set.find("no-such"));
	CHECK(!set.info(2));
	CHECK(faults && delta.count(*faults) > 0U);
	CHECK(faults && delta.verdict(*faults) == SELFMON_SYSCALL);
	CHECK(faults && delta.uncertainty(*faults) == 0);
	CHECK(delta.ns() > 0);
	values(set, delta);
	for (std::size_t i = 2; i < SELFMON_MAX_COUNTERS + 2; i++)
		CHECK(!delta.count(i));
}

static void moves()
{
	selfmon::CounterSet a = selfmon::CounterSet::open("task-clock");
	selfmon_counters *const held = a.get();
	selfmon::CounterSet b = std::move(a);

	CHECK(b.get() == held && b.counting() == 1);
	CHECK(!a && a.counting() == 0);
	a = std::move(b);
	CHECK(a.get() == held && !b);
	a = selfmon::CounterSet();
	CHECK(!a);
}

static void fails_without_exceptions()
{
	selfmon_failure failure;
	const selfmon::CounterSet set =
		selfmon::CounterSet::open("page-fualts", 0, &failure);

	CHECK(!set && set.counting() == 0);
	CHECK(failure.error == ENOENT);
	CHECK(!selfmon::CounterSet::open("task-clock", 0x8000u, &failure));
	CHECK(failure.error == EINVAL);
	CHECK(!selfmon::CounterSet::open("page-fualts"));
	CHECK(!selfmon::Report::open("/no/such", &failure));
	CHECK(failure.error == ENOENT);
}

#ifdef __cpp_exceptions
static void throws_where_a_constructor_fails()
{
	int thrown = 0;

	try {
		const selfmon::CounterSet set("page-fualts");
	} catch (const selfmon::Error &error) {
		thrown++;
		CHECK(error.code() == ENOENT);
		CHECK(std::strstr(error.what(), "page-faults"));
		CHECK(error.failure().step == SELFMON_STEP_PARSE);
	}
	try {
		const selfmon::Report report("/no/such");
	} catch (const std::exception &error) {
		thrown++;
		CHECK(std::strstr(error.what(), "/no/such"));
	}
	try {
		const selfmon::CounterSet time_alone("");

		time_alone.measure([] { throw 1; });
	} catch (int) {
		thrown++;
	}
	CHECK(thrown == 3);
}
#else
static_assert(!std::is_constructible_v<selfmon::CounterSet, const char *>);

static void throws_where_a_constructor_fails() {}
#endif

void check_sets()
{
	counts();
	moves();
	says_what_has_no_value();
	fails_without_exceptions();
	throws_where_a_constructor_fails();
}

void check_reports()
{
	visit_elsewhere(5);

	selfmon::Report report = selfmon::Report::take();
	selfmon::Report other = std::move(report);
	std::size_t rows = 0;

	CHECK(!report && report.size() == 0 && report.begin() == report.end());
	CHECK(!report.column(0) && !report.metric(0, 0));
	CHECK(report.histogram(0).size() == 0 && std::isnan(report.quantile(0, .5)));
	CHECK(report.write(SELFMON_TEXT, stdout) == -EINVAL);
	for (auto row = other.begin(); row != other.end(); row++)
		CHECK(&*row == &other[rows++] && row->name);
	CHECK(rows == other.size() && rows > 0);
	CHECK(!other.metric(rows, 0));
	const selfmon_row *const row = other.find({ "elsewhere" });

	CHECK(row && row->visits == 5 && row->depth == 0);
	const std::size_t at = static_cast<std::size_t>(row - &other[0]);
	std::uint64_t visits = 0;

	for (const selfmon_bucket &bucket : other.histogram(at))
		visits += bucket.visits;
	CHECK(visits == row->measured && other.histogram(rows).size() == 0);
	CHECK(visits == 0 ||
	      std::uint64_t(other.quantile(at, .9)) == row->p90_ns);
	visit_elsewhere(3);
	const selfmon::Report interval = selfmon::Report::take().since(other);
	const selfmon_row *const since = interval.find({ "elsewhere" });
	selfmon_failure failure = {};

	CHECK(since && since->visits == 3);
	CHECK(!other.since(report, &failure) && failure.error == EINVAL);
	CHECK(!other.find({}) && !other.find({ "elsewhere", "elsewhere" }));
	CHECK(!report.find({ "elsewhere" }));
	CHECK((sums_of(other, "elsewhere") == sums{ 5, 0, 0 }));
	CHECK((sums_of(other, "span elsewhere") == sums{ 5, 0, 0 }));
}
