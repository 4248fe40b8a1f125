/* SPDX-License-Identifier: MIT */
/*
 * frame MODULE FRAMES [ISLAND]  plays; the physics of this island takes 20 ms
 *                               in one frame a second
 * frame MODULE FRAMES cost      what measuring costs a frame
 *
 * SELFMON_OUTPUT='text:-;top=0' shows the report, which is by job.
 */
#include <algorithm>
#include <cstdlib>
#include <exception>
#include <vector>

#include "loop.hpp"

__thread Trail *trail;

/*
 * Plays 60 frames per second. A frame makes one step of physics for each 1/60 s
 * that has passed: at least one step, at most four.
 */
static void play(Loop &loop, unsigned long frames, unsigned int heavy)
{
	const Uint64 hz = SDL_GetPerformanceFrequency(), rate = 60;
	const Uint64 start = SDL_GetPerformanceCounter();
	Uint64 steps = 0;
	bool open = true;

	for (unsigned long i = 1; open && i <= frames; i++) {
		const Uint64 now = SDL_GetPerformanceCounter() - start;
		const Uint64 due = std::max(now * rate / hz, steps + 1);

		loop.world->heavy = i % rate == 30 ? heavy : ISLANDS;
		open = loop.frame(unsigned(std::min<Uint64>(due - steps, 4)));
		steps = due;
		if (i % rate == 0)
			std::printf("version %u, %s\n", loop.loader.game->version,
				    loop.log.take().line.c_str());
		const Uint64 next = (steps + 1) * hz / rate;
		const Uint64 spent = SDL_GetPerformanceCounter() - start;
		if (spent < next)
			SDL_Delay(Uint32((next - spent) * 1000 / hz + 1));
	}
}

/* Prints the jobs' own counts. The report must have equal counts. */
static void print_jobs(const Jobs &jobs)
{
	unsigned long all = 0, moved = 0;

	for (const auto &[name, did] : jobs.tally()) {
		std::printf("%-15s %7lu jobs, waited %5lu times\n",
			    name.c_str(), did.jobs, did.waits);
		all += did.jobs;
		moved += did.moved;
	}
	std::printf("%lu jobs, %lu stolen, %lu ended on a thread other "
		    "than the one on which they began\n",
		    all, jobs.stolen(), moved);
}

static double median_us(std::vector<Uint64> &ticks)
{
	const auto middle = ticks.begin() + long(ticks.size() / 2);

	std::nth_element(ticks.begin(), middle, ticks.end());
	return double(*middle) * 1e6 / double(SDL_GetPerformanceFrequency());
}

/* Alternates frames that are measured and frames that are not. */
static void cost(Loop &loop, unsigned long frames)
{
	std::vector<Uint64> ticks[2];

	for (unsigned long i = 0; i < frames; i++) {
		loop.log.enable(i % 2 != 0);
		const Uint64 start = SDL_GetPerformanceCounter();
		loop.frame(1);
		ticks[i % 2].push_back(SDL_GetPerformanceCounter() - start);
	}
	const double off = median_us(ticks[0]), on = median_us(ticks[1]);
	std::printf("median of %zu frames each: measured %.1f us, not measured "
		    "%.1f us\n%u zones, %u jobs: %.1f us, %.2f %% of 16.6 ms\n",
		    ticks[1].size(), on, off, Loop::ZONES, Loop::JOBS, on - off,
		    (on - off) / 166);
}

int main(int argc, char **argv)
try {
	selfmon_options options = SELFMON_OPTIONS_INIT;

	if (argc < 3) {
		std::fputs("usage: frame MODULE FRAMES [ISLAND|cost]\n", stderr);
		return 2;
	}
	options.output = nullptr; /* unless SELFMON_OUTPUT is set */
	selfmon_configure(&options);
	std::setvbuf(stdout, nullptr, _IOLBF, 0);
	Loop loop(argv[1], 2);
	const unsigned long frames = std::strtoul(argv[2], nullptr, 10);
	const std::string extra = argc > 3 ? argv[3] : std::to_string(ISLANDS);

	loop.world->heavy_time = std::chrono::milliseconds(20);
	if (extra == "cost") {
		cost(loop, frames);
		return 0;
	}
	play(loop, frames, unsigned(std::atoi(extra.c_str())));
	print_jobs(loop.jobs);
	return 0;
} catch (const std::exception &failure) {
	std::fprintf(stderr, "frame: %s\n", failure.what());
	return 1;
}
