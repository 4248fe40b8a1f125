/* SPDX-License-Identifier: MIT */
/*
 * Counters in google-benchmark's columns, one line in a benchmark:
 *
 *	static void parse(benchmark::State &state)
 *	{
 *		const Input input = prepare();
 *		selfmon::GoogleBenchmark counters(state);
 *		for (auto _ : state)
 *			...
 *	}
 *
 * Each event becomes a user counter, per iteration, in the table, in JSON and
 * in CSV. They are read right here: the benchmark library's own support of
 * counters is not used, and need not be built in.
 *
 * An event that cannot be counted has no column, and one that was not counted
 * in this run is NaN: never 0. Of a benchmark with several threads each counts
 * its own, the column is the sum of all per iteration of all, and it is NaN
 * if one of them has no number. Where values are estimates, since the counters
 * were shared with others, the column "scaled" has the share that is.
 *
 * Counted is from the line above to the end of the block, save where it is
 * paused: put it right before the loop. What the library does around the loop
 * is counted too, and spread over the iterations.
 */
#ifndef SELFMON_GOOGLE_BENCHMARK_HPP
#define SELFMON_GOOGLE_BENCHMARK_HPP

#include <benchmark/benchmark.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <map>
#include <string>

#include "selfmon.hpp"

namespace selfmon
{

inline namespace SELFMON_IMPL_NAMESPACE
{

class GoogleBenchmark {
public:
	/*
	 * Events as in selfmon_counters_open(). Left out: those of the
	 * variable SELFMON_EVENTS, or if it has none cycles, instructions,
	 * branch-misses and cache-misses. What cannot be counted is told on
	 * standard error, once a process.
	 */
	explicit GoogleBenchmark(benchmark::State &of,
				 const char *events = nullptr)
		: state(of), set(opened(events ? events : chosen()))
	{
		for (int &verdict : worst)
			verdict = SELFMON_EXACT;
		resume();
	}
	~GoogleBenchmark()
	{
		pause();
		if (set && state.iterations() > 0)
			tell();
	}
	GoogleBenchmark(const GoogleBenchmark &) = delete;
	GoogleBenchmark &operator=(const GoogleBenchmark &) = delete;

	/* Beside state.PauseTiming() and state.ResumeTiming(), within them. */
	void pause() noexcept
	{
		Snapshot now;

		if (!set || !running)
			return;
		set.end(now);
		running = false;
		add(set.delta(start, now));
	}
	void resume() noexcept
	{
		if (!set || running)
			return;
		running = true;
		set.begin(start);
	}

private:
	static const char *chosen() noexcept
	{
		const char *const events = std::getenv("SELFMON_EVENTS");

		if (!events || !*events || !std::strcmp(events, "auto"))
			return "cycles,instructions,branch-misses,cache-misses";
		return std::strcmp(events, "none") ? events : "";
	}

	/* A benchmark is called many times: a thread's sets stay open. */
	static const CounterSet &opened(const char *spec)
	{
		thread_local std::map<std::string, CounterSet> sets;
		const auto [at, made] = sets.try_emplace(spec);
		selfmon_failure failure = {};

		if (made)
			at->second = CounterSet::open(spec, 0, &failure);
		if (failure.error)
			explain(failure);
		return at->second;
	}

	static void explain(const selfmon_failure &failure) noexcept
	{
		static const bool told = [&failure] {
			char text[512];

			selfmon_explain(&failure, text, sizeof(text));
			std::fprintf(stderr, "selfmon: not counted: %s\n",
				     text);
			return true;
		}();

		static_cast<void>(told);
	}

	void add(const Delta &delta) noexcept
	{
		for (std::size_t i = 0; i < SELFMON_MAX_COUNTERS; i++) {
			const int verdict = delta.verdict(i);

			if (verdict == SELFMON_NOT_COUNTED)
				worst[i] = SELFMON_NOT_COUNTED;
			else if (worst[i] != SELFMON_NOT_COUNTED &&
				 verdict > worst[i])
				worst[i] = verdict;
			sum[i] += static_cast<double>(delta.value[i].count);
		}
		if (delta.flags & SELFMON_DELTA_SCALED) {
			off_ns += static_cast<double>(delta.off_ns);
			enabled_ns += static_cast<double>(delta.enabled_ns);
		}
	}

	/* One thread without a number among others that have one: NaN. */
	void tell() const
	{
		using benchmark::Counter;
		bool scaled = false;

		for (std::size_t i = 0;; i++) {
			const auto about = set.info(i);
			double value = std::numeric_limits<double>::quiet_NaN();

			if (!about)
				break;
			if (about->failure && state.threads() == 1)
				continue;
			if (i < SELFMON_MAX_COUNTERS && !about->failure &&
			    worst[i] != SELFMON_NOT_COUNTED) {
				value = sum[i];
				scaled |= worst[i] == SELFMON_SCALED;
			}
			state.counters[about->name] =
				Counter(value, Counter::kAvgIterations);
		}
		if (scaled)
			state.counters["scaled"] = Counter(off_ns / enabled_ns,
							   Counter::kAvgThreads);
	}

	benchmark::State &state;
	const CounterSet &set;
	bool running = false;
	Snapshot start;
	double sum[SELFMON_MAX_COUNTERS] = {};
	int worst[SELFMON_MAX_COUNTERS];
	double off_ns = 0, enabled_ns = 0;
};

} /* inline namespace */

} /* namespace selfmon */

#endif
