// SPDX-License-Identifier: MIT
// Compares google-benchmark's PauseTiming and ResumeTiming, which exclude code
// from a measurement, with a region that measures only time.
#include <benchmark/benchmark.h>
#include <cstring>

#include <selfmon.h>

#include "bench.h"

static benchmark::State *state;

static void region(uint64_t n)
{
	for (; n > 0; n--)
		SELFMON_REGION("block")
			selfmon_compiler_fence();
}

static void pause_resume(uint64_t n)
{
	for (; n > 0; n--) {
		state->PauseTiming();
		state->ResumeTiming();
	}
}

static bench_operation operation_of(const char *what, bench_loop_fn loop,
				    uint64_t n)
{
	bench_operation operation{};

	operation.what = what;
	operation.loop = loop;
	operation.n = n;
	operation.against = -1;
	return operation;
}

// PauseTiming() works only inside the loop over the state, so the whole
// measurement runs in one iteration.
static void measure(benchmark::State &running)
{
	static bench_operation operation[2];

	operation[0] = operation_of("region pair, time only", region,
				    bench_effort.visits);
	operation[1] = operation_of("google-benchmark: Pause + ResumeTiming",
				    pause_resume, bench_effort.visits / 10);
	operation[1].against = 0;
	operation[1].against_name = "region pair";
	state = &running;
	for (auto turn : running) {
		benchmark::DoNotOptimize(turn);
		bench_measure(operation, 2);
	}
}

namespace {
struct Silent : benchmark::BenchmarkReporter {
	bool ReportContext(const Context &) override { return true; }
	void ReportRuns(const std::vector<Run> &) override {}
};
}

int main(int argc, char **argv)
{
	Silent silent;

	bench_prepare(argc > 3 && std::strcmp(argv[3], "--quick") == 0);
	bench_pin();
	bench_configure(nullptr);
	benchmark::RegisterBenchmark("measure", measure)->Iterations(1);
	benchmark::RunSpecifiedBenchmarks(&silent);
	return 0;
}
