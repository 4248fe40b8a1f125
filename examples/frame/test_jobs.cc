/* SPDX-License-Identifier: MIT */
/*
 * Checks the statements of README.md about jobs: the report has the numbers
 * that the jobs counted themselves, on 1, 2 and 4 workers. MODULES is the
 * folder of module.so.
 */
#include <string>

#include <criterion/criterion.h>
#include <criterion/parameterized.h>

#include "loop.hpp"

static unsigned int numbers[] = { 1, 2, 4 };

/* Checks that all visits of a row ended properly and were measured. */
static void expect_whole(const selfmon_row &row)
{
	cr_expect_eq(row.open + row.cut_off + row.lost + row.overlapped +
			     row.switched + row.refused + row.impossible,
		     0, "%s", row.name);
	cr_expect_eq(row.measured, row.visits, "%s", row.name);
}

using Did = std::map<std::string, Tally>;

/*
 * Call it after the workers have ended, so that all visits on their fibers have
 * ended, too.
 */
static void expect_jobs(const selfmon::Report &report, const Did &all)
{
	for (const auto &[name, did] : all) {
		const selfmon_row *const row =
			report.find({ "jobs", name.c_str() });

		cr_assert(row, "%s", name.c_str());
		cr_expect_eq(row->visits, did.jobs, "%s", row->name);
		cr_expect_eq(row->suspended, did.waits, "%s", row->name);
	}
	for (const selfmon_row &row : report)
		expect_whole(row);
	for (std::size_t i = 0; report.note(i); i++)
		cr_expect_eq(std::string(report.note(i)).find("fiber"),
			     std::string::npos, "%s", report.note(i));
}

static void expect_unit(const selfmon::Report &report,
			std::initializer_list<const char *> path,
			const char *unit, std::uint64_t counted)
{
	const selfmon_row *const row = report.find(path);
	const auto index = std::size_t(row - &report[0]);
	std::uint64_t sum = 0;

	cr_assert(row, "%s", path.end()[-1]);
	for (std::size_t i = 0; i < report.units(); i++)
		if (const auto of = report.unit(index, i);
		    of && of->name == std::string(unit))
			sum = of->sum;
	cr_expect_neq(counted, 0, "%s", unit);
	cr_expect_eq(sum, counted, "%s", unit);
}

ParameterizedTestParameters(jobs, are_in_the_report_as_they_ran)
{
	return cr_make_param_array(unsigned int, numbers, 3);
}

ParameterizedTest(unsigned int *number, jobs, are_in_the_report_as_they_ran)
{
	const unsigned int frames = 200;
	unsigned int steps = 0;
	auto loop = std::make_unique<Loop>(MODULES "/module.so", *number);

	for (unsigned int i = 0; i < frames; i++) {
		loop->frame(1 + i % 3);
		steps += 1 + i % 3;
	}
	const auto world = std::move(loop->world);
	Did did = loop->jobs.tally();
	loop.reset();
	const selfmon::Report report;

	cr_assert_eq(did.size(), 7);
	for (const char *name : { "simulate", "physics", "particles", "culling",
				  "audio" })
		cr_expect_eq(did[name].jobs, frames, "%s", name);
	cr_expect_eq(did["particle batch"].jobs, frames * BATCHES);
	cr_expect_eq(did["physics part"].jobs, steps * PARTS);
	expect_jobs(report, did);

	const selfmon_row *const step =
		report.find({ "jobs", "physics", "step" });
	cr_assert(step);
	cr_expect_eq(step->visits, steps);
	cr_expect_eq(step->suspended, steps);
	expect_unit(report, { "jobs", "physics part", "island" }, "contacts",
		    world->contacts);
	expect_unit(report, { "jobs", "particle batch" }, "particles",
		    world->particles);
	expect_unit(report, { "jobs", "culling" }, "balls", world->balls);
	expect_unit(report, { "jobs", "audio", "voice" }, "samples",
		    world->samples);
}

/* ---- a job that continues on another thread ------------------------------ */

/*
 * The job "first" waits for the job "second". Another worker steals "second",
 * because the worker of "first" stays busy. "second" ends when all other
 * workers are busy. By then the stack of "first" was left, and only the worker
 * of "second" can continue "first". The test waits for events, never for a
 * time.
 */
static struct {
	unsigned int workers;
	Counter *all;
	std::atomic<unsigned int> busy;
	std::atomic<bool> second_began, first_continued;
} play;

static void until(bool (*happened)())
{
	while (!happened())
		std::this_thread::yield();
}

static void keep_busy(Job &, World &, unsigned int)
{
	play.busy++;
	until([] { return play.first_continued.load(); });
}
static const Kind other("other", keep_busy);

static void steal_me(Job &job, World &, unsigned int)
{
	play.second_began = true;
	for (unsigned int i = 1; i < play.workers; i++)
		job.spawn(other, i, *play.all);
	until([] { return play.busy == play.workers - 1; });
}
static const Kind second("second", steal_me);

static void wait_for_second(Job &job, World &, unsigned int)
{
	static selfmon::Site site("inside");
	const selfmon::Region inside(site);
	Counter children;

	job.spawn(second, 0, children);
	if (play.workers > 1)
		until([] { return play.second_began.load(); });
	job.wait(children);
	play.first_continued = true;
}
static const Kind first("first", wait_for_second);

static void do_all(Job &job, World &, unsigned int)
{
	Counter all;

	play.all = &all;
	job.spawn(first, 0, all);
	job.wait(all);
}
static const Kind everything("everything", do_all);

ParameterizedTestParameters(jobs, continue_on_another_thread)
{
	return cr_make_param_array(unsigned int, numbers, 3);
}

ParameterizedTest(unsigned int *number, jobs, continue_on_another_thread)
{
	const auto world = std::make_unique<World>();
	auto jobs = std::make_unique<Jobs>(*number);

	play.workers = *number;
	jobs->run(everything, *world, 0);
	Did did = jobs->tally();
	cr_expect_eq(jobs->stolen() > 0, *number > 1);
	jobs.reset();
	const selfmon::Report report;

	expect_jobs(report, did);
	cr_expect_eq(did["first"].moved, *number > 1);
	cr_expect_eq(did["other"].jobs, *number - 1);
	const selfmon_row *const inside =
		report.find({ "jobs", "first", "inside" });
	cr_assert(inside);
	cr_expect_eq(inside->visits, 1);
	cr_expect_eq(inside->suspended, 1);
}
