// SPDX-License-Identifier: MIT
// Tests selfmon_google_benchmark.hpp when only a further group of events was
// multiplexed. selfmon_counters_delta() is wrapped: its first value becomes an
// estimate of a further group.
#include <selfmon_google_benchmark.hpp>

#include <cmath>

extern "C" {
void __real_selfmon_counters_delta(selfmon_counters *set,
				   const selfmon_snapshot *a,
				   const selfmon_snapshot *b,
				   selfmon_delta *delta);
void __wrap_selfmon_counters_delta(selfmon_counters *set,
				   const selfmon_snapshot *a,
				   const selfmon_snapshot *b,
				   selfmon_delta *delta)
{
	__real_selfmon_counters_delta(set, a, b, delta);
	delta->flags |= SELFMON_DELTA_MORE_SCALED;
	delta->value[0].verdict = SELFMON_SCALED;
	delta->value[0].more = 2;
	delta->more[1].enabled_ns = 1000;
	delta->more[1].off_ns = 250;
}
}

static double scaled = NAN;

static void faults(benchmark::State &state)
{
	{
		selfmon::GoogleBenchmark counters(state, "page-faults");
		for (auto _ : state)
			benchmark::ClobberMemory();
	}
	scaled = state.counters["scaled"];
}
BENCHMARK(faults)->Iterations(1);

static bool faults_are_counted()
{
	selfmon_counters *set = nullptr;
	const int counted = selfmon_counters_open("page-faults", 0, &set,
						  nullptr);

	if (counted > 0)
		selfmon_counters_close(set);
	return counted > 0;
}

int main(int argc, char **argv)
{
	if (!faults_are_counted()) {
		std::puts("google.cc: skipped: no page faults are counted");
		return 0;
	}
	benchmark::Initialize(&argc, argv);
	benchmark::RunSpecifiedBenchmarks();
	if (std::fabs(scaled - 0.25) < 1e-9)
		return 0;
	std::fprintf(stderr, "google.cc: scaled is %g, not 0.25\n", scaled);
	return 1;
}
