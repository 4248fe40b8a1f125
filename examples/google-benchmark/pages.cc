// SPDX-License-Identifier: MIT
/*
 * Benchmarks with known counts: each page that is touched for the first time is
 * exactly one fault.
 *
 *	c++ -O2 pages.cc $(pkg-config --cflags --libs selfmon) -lbenchmark
 *	SELFMON_EVENTS=page-faults,task-clock ./a.out
 */
#include <selfmon_google_benchmark.hpp>

#include <sys/mman.h>
#include <unistd.h>

#include <numeric>
#include <vector>

static char *fresh_pages(std::size_t bytes)
{
	void *const memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
				  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (memory == MAP_FAILED)
		std::abort();
	madvise(memory, bytes, MADV_NOHUGEPAGE); /* with huge pages there would
						    be one fault */
	return static_cast<char *>(memory);
}

static void touch_pages(std::size_t pages)
{
	const auto size = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
	char *const memory = fresh_pages(pages * size);

	for (std::size_t i = 0; i < pages; i++)
		static_cast<volatile char *>(memory)[i * size] = 1;
	munmap(memory, pages * size);
}

static void touch(benchmark::State &state)
{
	const auto pages = static_cast<std::size_t>(state.range(0));

	touch_pages(pages);
	selfmon::GoogleBenchmark counters(state);
	for (auto _ : state)
		touch_pages(pages);
}
BENCHMARK(touch)->Arg(1)->Arg(16)->Iterations(2000);
BENCHMARK(touch)->Arg(4)->Iterations(1000)->Threads(2)->Name("touch_threads");

/* Half of the pages are touched while counting is paused. */
static void touch_paused(benchmark::State &state)
{
	touch_pages(8);
	selfmon::GoogleBenchmark counters(state);
	for (auto _ : state) {
		touch_pages(8);
		state.PauseTiming();
		counters.pause();
		touch_pages(8);
		counters.resume();
		state.ResumeTiming();
	}
}
BENCHMARK(touch_paused)->Iterations(1000);

static void sum(benchmark::State &state)
{
	std::vector<unsigned int> numbers(10000);

	std::iota(numbers.begin(), numbers.end(), 1U);
	selfmon::GoogleBenchmark counters(state);
	for (auto _ : state)
		benchmark::DoNotOptimize(std::accumulate(
			numbers.begin(), numbers.end(), 0U));
}
BENCHMARK(sum);

static void sum_bare(benchmark::State &state)
{
	std::vector<unsigned int> numbers(10000);

	std::iota(numbers.begin(), numbers.end(), 1U);
	for (auto _ : state)
		benchmark::DoNotOptimize(std::accumulate(
			numbers.begin(), numbers.end(), 0U));
}
BENCHMARK(sum_bare);

BENCHMARK_MAIN();
