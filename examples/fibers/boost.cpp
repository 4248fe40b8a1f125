/* SPDX-License-Identifier: MIT */
/*
 * A job system: 100 jobs, each a fiber of Boost.Context, on 4 threads. Each
 * time a job continues, another thread runs it. At the end the program compares
 * the report with its own counters: exit status 1 if they differ.
 *
 *	c++ -std=c++17 boost.cpp $(pkg-config --cflags --libs selfmon) \
 *		-lboost_context -pthread -o boost
 *	./boost
 */
#include <algorithm>
#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include <boost/context/fiber.hpp>

#include <selfmon.hpp>

namespace
{

constexpr unsigned JOBS = 100, THREADS = 4;

/* Values that a row of the report must have. */
struct Tally {
	std::uint64_t visits = 0, yields = 0, units = 0;
};

/* ---- a job --------------------------------------------------------------- */

class Job {
public:
	using Work = void (*)(Job &);

	Job(const char *kind, Work work, unsigned index)
		: number(index), fiber(selfmon_fiber_create(kind)),
		  stack([this, work](boost::context::fiber &&caller) {
			  worker = std::move(caller);
			  work(*this);
			  selfmon_fiber_switch(nullptr);
			  return std::move(worker);
		  })
	{
	}
	/*
	 * Boost unwinds the stack of a job that has not finished. Regions that
	 * end while unwinding belong to the job.
	 */
	~Job()
	{
		if (stack) {
			selfmon_fiber_switch(fiber);
			stack = {};
			selfmon_fiber_switch(nullptr);
		}
		selfmon_fiber_destroy(fiber);
	}
	Job(const Job &) = delete;
	Job &operator=(const Job &) = delete;

	/* Runs in the calling thread until the job yields. */
	void run()
	{
		moves += last != std::thread::id() &&
			 last != std::this_thread::get_id();
		last = std::this_thread::get_id();
		selfmon_fiber_switch(fiber);
		stack = std::move(stack).resume();
	}
	/* Called by the job; returns in the thread that runs it next. */
	void yield()
	{
		tally.yields++;
		selfmon_fiber_switch(nullptr);
		worker = std::move(worker).resume();
	}
	bool finished() const
	{
		return !stack;
	}

	const unsigned number;
	Tally tally;
	unsigned moves = 0;
	std::thread::id last; /* thread that ran the job last */

private:
	selfmon_fiber *fiber;
	boost::context::fiber worker, stack;
};

/* ---- scheduler ----------------------------------------------------------- */

class Scheduler {
public:
	explicit Scheduler(std::vector<std::unique_ptr<Job>> &all)
		: unfinished(all.size())
	{
		for (auto &job : all)
			queue.push_back(job.get());
	}

	/*
	 * Queues a job again only after this thread has left the job's stack,
	 * since another thread may take the job at once.
	 */
	void serve()
	{
		SELFMON_SCOPE("worker");

		while (Job *const job = take()) {
			job->run();
			put(job);
		}
	}

private:
	/*
	 * Waits for a job that this thread did not run last. Returns nullptr
	 * after the last job has finished.
	 */
	Job *take()
	{
		const auto self = std::this_thread::get_id();
		std::unique_lock<std::mutex> hold(lock);

		for (;;) {
			const auto found =
				std::find_if(queue.begin(), queue.end(),
					     [=](const Job *job) {
						     return job->last != self;
					     });

			if (found != queue.end()) {
				Job *const job = *found;

				queue.erase(found);
				return job;
			}
			if (unfinished == 0)
				return nullptr;
			changed.wait(hold);
		}
	}

	void put(Job *job)
	{
		const std::lock_guard<std::mutex> hold(lock);

		if (job->finished())
			unfinished--;
		else
			queue.push_back(job);
		changed.notify_all();
	}

	std::mutex lock;
	std::condition_variable changed;
	std::deque<Job *> queue;
	std::size_t unfinished;
};

/* ---- jobs ---------------------------------------------------------------- */

const selfmon::Unit words("words"), pixels("pixels");

void count(Job &job, const selfmon::Unit &unit, std::uint64_t n)
{
	unit.count(n);
	job.tally.units += n;
}

void parse(Job &job)
{
	for (unsigned i = 0; i < 20; i++) {
		SELFMON_SCOPE("line");

		job.tally.visits++;
		const std::string line(100 + job.number, 'x');

		count(job, words, line.size() / 7);
		job.yield();
		count(job, words, i % 3);
	}
}

void render(Job &job)
{
	for (unsigned i = 0; i < 10; i++) {
		SELFMON_SCOPE("tile");
		SELFMON_SCOPE("shade");

		job.tally.visits++;
		for (unsigned part = 0; part <= i % 4; part++) {
			count(job, pixels, job.number * part + 1);
			job.yield();
		}
	}
}

/* A job that waits forever. The program destroys its fiber at the end. */
void listen(Job &job)
{
	SELFMON_SCOPE("wait");

	job.tally.visits++;
	job.yield();
}

/* ---- comparison ---------------------------------------------------------- */

int differences;

void equal(const char *what, std::uint64_t reported, std::uint64_t counted)
{
	if (reported == counted)
		return;
	std::fprintf(stderr, "boost: %s: reported %llu, counted %llu\n", what,
		     static_cast<unsigned long long>(reported),
		     static_cast<unsigned long long>(counted));
	differences++;
}

std::uint64_t sum(const selfmon::Report &report, const selfmon_row *row,
		  const char *unit)
{
	const auto index = static_cast<std::size_t>(row - &report[0]);

	for (std::size_t i = 0; i < report.units(); i++)
		if (const auto of = report.unit(index, i);
		    of && of->name == std::string(unit))
			return of->sum;
	return 0;
}

void compare(const selfmon::Report &report,
	     std::initializer_list<const char *> path, const Tally &counted,
	     const char *unit)
{
	const char *const name = path.end()[-1];
	const selfmon_row *const row = report.find(path);

	std::printf("%-6s %4llu visits, %4llu times suspended, %5llu %s\n",
		    name, static_cast<unsigned long long>(counted.visits),
		    static_cast<unsigned long long>(counted.yields),
		    static_cast<unsigned long long>(counted.units), unit);
	if (!row) {
		equal(name, 0, counted.visits);
		return;
	}
	equal(name, row->visits, counted.visits);
	equal("times suspended", row->suspended, counted.yields);
	equal(unit, sum(report, row, unit), counted.units);
	equal("not ended",
	      row->open + row->cut_off + row->lost + row->overlapped +
		      row->switched,
	      0);
}

} // namespace

int main()
{
	std::vector<std::unique_ptr<Job>> jobs;
	std::vector<std::thread> threads;
	Tally parsed, rendered;
	std::uint64_t moves = 0;

	for (unsigned i = 0; i < JOBS; i++)
		jobs.push_back(std::make_unique<Job>(
			i % 2 ? "render" : "parse", i % 2 ? render : parse, i));
	Scheduler scheduler(jobs);

	for (unsigned i = 0; i < THREADS; i++)
		threads.emplace_back([&] { scheduler.serve(); });
	for (std::thread &thread : threads)
		thread.join();
	for (const auto &job : jobs) {
		Tally &of = job->number % 2 ? rendered : parsed;

		of.visits += job->tally.visits;
		of.yields += job->tally.yields;
		of.units += job->tally.units;
		moves += job->moves;
	}
	jobs.clear();

	auto waits = std::make_unique<Job>("listen", listen, 0u);

	waits->run();
	const Tally waited = waits->tally;

	waits.reset();

	const selfmon::Report report;

	/*
	 * A fiber is suspended once more than its job yields: from the job's
	 * end to ~Job().
	 */
	compare(report, { "parse" },
		{ JOBS / 2, parsed.yields + JOBS / 2, 0 }, "words");
	compare(report, { "render" },
		{ JOBS / 2, rendered.yields + JOBS / 2, 0 }, "pixels");
	compare(report, { "parse", "line" }, parsed, "words");
	compare(report, { "render", "tile" },
		{ rendered.visits, rendered.yields, 0 }, "pixels");
	compare(report, { "render", "tile", "shade" }, rendered, "pixels");
	compare(report, { "listen", "wait" }, waited, "words");
	equal("moves to another thread", moves,
	      parsed.yields + rendered.yields);
	return differences ? 1 : 0;
}
