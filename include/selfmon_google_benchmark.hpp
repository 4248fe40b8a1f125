/* SPDX-License-Identifier: MIT */
/*
 * Counters in google-benchmark's columns, with one line in a benchmark:
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
 * in CSV. libselfmon reads the counters itself; the benchmark library's own
 * counter support is neither used nor required.
 *
 * An event that cannot be counted has no column; in a benchmark with several
 * threads its column is NaN. An event without a value in this run is NaN, never
 * 0. In a benchmark with several threads each thread counts its own
 * events. The column is their sum divided by all iterations, or NaN if one
 * thread has no value. If the counters were shared with other programs, or if
 * the events do not fit on the PMU together, values are estimates. The column
 * "scaled" then has the fraction of the time for which counts are extrapolated:
 * the mean over the estimated events.
 *
 * Counting starts where `counters` is declared and stops at the end of its
 * block: declare it right before the loop. state.PauseTiming() does not stop
 * counting: call counters.pause() and counters.resume() too. Work of the
 * benchmark library around the loop is counted, and spread over the iterations.
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
	 * events: as for selfmon_counters_open(). If NULL, uses the environment
	 * variable SELFMON_EVENTS. If the variable is unset, empty or "auto",
	 * counts cycles, instructions, branch-misses and cache-misses. If the
	 * variable is "none", counts no events. The first failure of the
	 * process is explained on standard error: a dropped event, or a list
	 * with an error.
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
			report();
	}
	GoogleBenchmark(const GoogleBenchmark &) = delete;
	GoogleBenchmark &operator=(const GoogleBenchmark &) = delete;

	/*
	 * Stop and continue counting. Call them inside state.PauseTiming() and
	 * state.ResumeTiming().
	 */
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

	/*
	 * Keeps each thread's sets open, because a benchmark function is called
	 * many times.
	 */
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
		static const bool explained = [&failure] {
			char text[512];

			selfmon_explain(&failure, text, sizeof(text));
			std::fprintf(stderr, "selfmon: not counted: %s\n",
				     text);
			return true;
		}();

		static_cast<void>(explained);
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
			if (verdict == SELFMON_SCALED)
				add_share(delta, delta.value[i].more);
		}
	}

	void add_share(const Delta &delta, unsigned int more) noexcept
	{
		const selfmon_share first = { delta.enabled_ns, delta.off_ns };
		const selfmon_share &share = more ? delta.more[more - 1]
						  : first;

		off_ns += static_cast<double>(share.off_ns);
		enabled_ns += static_cast<double>(share.enabled_ns);
	}

	/*
	 * Reports NaN if this thread has no value. Other threads may have one.
	 */
	void report() const
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
