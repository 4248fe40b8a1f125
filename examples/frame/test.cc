/* SPDX-License-Identifier: MIT */
/*
 * Tests the statements of README.md about frames and modules. MODULES is the
 * folder with the original module (module.so) and an edited one
 * (edited/module.so, version 2).
 */
#include <cstdlib>
#include <fstream>
#include <map>

#include <criterion/criterion.h>

#include "loop.hpp"

__thread Trail *trail;

static const unsigned long RELOADS = 50, FRAMES_EACH = 4;

/* The folder of this test's module, which is replaced under the same name. */
struct Shop {
	Shop()
	{
		char pattern[] = MODULES "/test.XXXXXX";

		folder = mkdtemp(pattern);
		file = folder + "/game.so";
		show(MODULES "/module.so");
	}
	~Shop() { std::filesystem::remove_all(folder); }

	void show(const char *module)
	{
		std::filesystem::copy_file(module, file + ".new");
		std::filesystem::rename(file + ".new", file);
	}
	std::string folder, file;
};

/*
 * Returns the rows of a report by path. A path has only names, so rows that
 * reloading duplicated have equal paths.
 */
static std::multimap<std::string, selfmon_row> rows_by_path()
{
	std::multimap<std::string, selfmon_row> rows;
	std::vector<std::string> path;

	for (const selfmon_row &row : selfmon::Report()) {
		path.resize(row.depth);
		path.push_back((row.depth ? path.back() + "/" : "") + row.name);
		rows.emplace(path.back(), row);
	}
	return rows;
}

/*
 * Reloads repeatedly, alternating between the edited and the original module.
 */
static void play(Loop &loop, Shop &shop, std::map<unsigned int, long> &frames)
{
	const auto some_frames = [&] {
		for (unsigned long i = 0; i < FRAMES_EACH; i++) {
			loop.frame(1);
			frames[loop.loader.game->version]++;
		}
	};

	some_frames();
	for (unsigned long i = 0; i < RELOADS; i++) {
		shop.show(i % 2 ? MODULES "/module.so"
				: MODULES "/edited/module.so");
		some_frames();
		cr_assert_eq(loop.loader.game->version, i % 2 ? 1 : 2);
	}
}

Test(frame, keeps_every_region_over_fifty_reloads)
{
	Shop shop;
	Loop loop(shop.file.c_str(), 2);
	std::map<unsigned int, long> frames;
	unsigned int zones = 0;

	play(loop, shop, frames);
	cr_assert_eq(loop.loader.stuck, 0, "dlclose left a module there");
	cr_assert_eq(frames[1] + frames[2], (RELOADS + 1) * FRAMES_EACH);
	const auto rows = rows_by_path();
	for (const auto &[path, row] : rows) {
		if (path.rfind("frame", 0) != 0 || path == "frame/update/wind")
			continue;
		cr_expect_eq(rows.count(path), 1, "%s", path.c_str());
		cr_expect_eq(row.visits, loop.frames, "%s", path.c_str());
		cr_expect_eq(row.open + row.cut_off, 0, "%s", path.c_str());
		cr_expect_eq(row.threads, 1, "%s", path.c_str());
		zones++;
	}
	cr_expect_eq(zones + 1, Loop::ZONES);
}

Test(frame, takes_a_site_whose_line_moved_for_another_region)
{
	Shop shop;
	Loop loop(shop.file.c_str(), 2);
	std::map<unsigned int, long> frames, visits_by_line;

	play(loop, shop, frames);
	const auto rows = rows_by_path();
	const auto [first, last] = rows.equal_range("frame/update/wind");
	for (auto i = first; i != last; ++i)
		visits_by_line[i->second.line] += long(i->second.visits);
	cr_assert_eq(visits_by_line.size(), 2);
	cr_expect_eq(visits_by_line.begin()->second, frames[1]);
	cr_expect_eq(visits_by_line.rbegin()->second, frames[2]);
}

Test(frame, keeps_the_module_when_the_new_one_is_none)
{
	Shop shop;
	Loop loop(shop.file.c_str(), 1);
	const std::string text = shop.folder + "/text";

	std::ofstream(text) << "not a module\n";
	shop.show(text.c_str());
	loop.frame(1);
	cr_expect_neq(loop.loader.error, "");
	cr_expect_eq(loop.loader.game->version, 1);
	shop.show(MODULES "/edited/module.so");
	loop.frame(1);
	cr_expect_eq(loop.loader.error, "");
	cr_expect_eq(loop.loader.game->version, 2);
}

Test(frame, says_of_the_worst_frame_what_adds_up)
{
	Shop shop;
	Loop loop(shop.file.c_str(), 2);

	for (unsigned int second = 0; second < 5; second++) {
		for (unsigned int i = 0; i < 60; i++)
			loop.frame(1 + i % 3);
		const Worst worst = loop.log.take();

		cr_expect_eq(worst.of, 60);
		cr_expect_eq(worst.frame / 60, second);
		cr_expect_gt(worst.parts_ns, 0);
		cr_expect_leq(worst.parts_ns, worst.ns, "%s",
			      worst.line.c_str());
		cr_expect_leq(worst.most_ns, worst.ns, "%s",
			      worst.line.c_str());
	}
}

/*
 * The heavy job takes half a second plus ten times the longest frame before it.
 * So it is longer than all other jobs, however slow the machine is. There is
 * only one worker, so that no other job begins meanwhile and then waits for a
 * CPU.
 */
Test(frame, names_the_heavy_job_of_the_worst_frame)
{
	Shop shop;
	Loop loop(shop.file.c_str(), 1);

	for (unsigned int i = 0; i < 30; i++)
		loop.frame(1);
	const std::uint64_t longest = loop.log.take().ns;
	const std::uint64_t heavy_ns = 10 * longest + 500000000;

	loop.frame(1);
	loop.world->heavy = 17;
	loop.world->heavy_time = std::chrono::nanoseconds(heavy_ns);
	loop.frame(1);
	const Worst worst = loop.log.take();
	cr_expect_eq(worst.frame, 31, "%s", worst.line.c_str());
	cr_expect_eq(worst.most, "wait for jobs", "%s", worst.line.c_str());
	cr_expect_geq(worst.most_ns, heavy_ns / 10 * 9);
	cr_expect_eq(worst.job, "physics part 2", "%s", worst.line.c_str());
	cr_expect_geq(worst.job_ns, heavy_ns / 10 * 9);
	cr_expect(worst.line.find("longest job physics part 2 ") !=
		  std::string::npos, "%s", worst.line.c_str());
}
