/* SPDX-License-Identifier: MIT */
/*
 * The game, a shared object that is reloaded after each build. Change a number
 * here while the program runs, then `make module`.
 */
#include <cmath>
#include <string>
#include <vector>

#include <SDL.h>

#include "game.hpp"
#include "zone.hpp"

namespace
{

constexpr unsigned int VERSION = 1;
constexpr float GRAVITY = 9.8f, DIAMETER = 0.002f;

/*
 * Makes a region per island when the module is loaded. Regions that an earlier
 * module made are reused.
 */
std::vector<selfmon::Name> for_each_island(const char *what)
{
	std::vector<selfmon::Name> names;

	for (unsigned int n = 0; n < ISLANDS; n++)
		names.emplace_back((what + std::to_string(n)).c_str());
	return names;
}

const std::vector<selfmon::Name> brains = for_each_island("brain ");
const std::vector<selfmon::Name> layers = for_each_island("layer ");
const selfmon::Name step("step"), island("island"), voice("voice");
const selfmon::Unit contacts("contacts"), sparks("particles"), balls("balls"),
	samples("samples");

/*
 * Adds n to the report's unit and to the program's own sum. The program
 * compares the two.
 */
void count(const selfmon::Unit &unit, std::atomic<std::uint64_t> &sum,
	   unsigned int n)
{
	unit.count(n);
	sum.fetch_add(n, std::memory_order_relaxed);
}

/* ---- the thread of the game ---------------------------------------------- */

/* Uses a Site, so an edit that moves its line makes another region. */
void blow(World &world)
{
	static selfmon::Site site("wind");
	const selfmon::Region region(site);

	for (float &speed : world.vx)
		speed *= 0.999f;
}

void update(World &world)
{
	for (unsigned int n = 0; n < ISLANDS; n++) {
		const Zone zone(brains[n]);
		const unsigned int end = (n + 1) * ISLAND_BALLS;

		for (unsigned int i = n * ISLAND_BALLS; i < end; i++)
			world.vx[i] += (0.5f - world.x[i]) * 0.01f;
	}
	blow(world);
}

void render(const World &world, SDL_Renderer *renderer)
{
	SDL_SetRenderDrawColor(renderer, 0, 0, 0, 255);
	SDL_RenderClear(renderer);
	SDL_SetRenderDrawColor(renderer, 255, 200, 0, 255);
	for (unsigned int n = 0; n < ISLANDS; n++) {
		const Zone zone(layers[n]);
		const unsigned int end = (n + 1) * ISLAND_BALLS;

		for (unsigned int i = n * ISLAND_BALLS; i < end; i++)
			if (world.visible[i])
				SDL_RenderDrawPoint(
					renderer, int(world.x[i] * 320),
					240 - int(world.y[i] * 240));
	}
}

/* ---- jobs ---------------------------------------------------------------- */

void be_slow(std::chrono::nanoseconds time)
{
	const auto start = std::chrono::steady_clock::now();

	while (std::chrono::steady_clock::now() - start < time)
		;
}

void move(World &world, unsigned int begin, unsigned int end)
{
	for (unsigned int i = begin; i < end; i++) {
		world.vy[i] -= GRAVITY * STEP;
		world.x[i] += world.vx[i] * STEP;
		world.y[i] += world.vy[i] * STEP;
		if (world.y[i] < 0) {
			world.y[i] = 0;
			world.vy[i] = std::fabs(world.vy[i]) * 0.9f;
		}
	}
}

/* Balls that touch push each other. Returns the number of such pairs. */
unsigned int collide(World &world, unsigned int begin, unsigned int end)
{
	unsigned int pairs = 0;

	for (unsigned int i = begin; i < end; i++)
		for (unsigned int k = i + 1; k < end; k++) {
			const float x = world.x[i] - world.x[k];
			const float y = world.y[i] - world.y[k];

			if (x * x + y * y > DIAMETER * DIAMETER)
				continue;
			world.vx[i] += 0.1f * x;
			world.vx[k] -= 0.1f * x;
			pairs++;
		}
	return pairs;
}

void do_part(Job &, World &world, unsigned int part)
{
	const unsigned int each = ISLANDS / PARTS;

	for (unsigned int n = part * each; n < (part + 1) * each; n++) {
		const selfmon::Region region(island);
		const unsigned int begin = n * ISLAND_BALLS;

		move(world, begin, begin + ISLAND_BALLS);
		count(contacts, world.contacts,
		      collide(world, begin, begin + ISLAND_BALLS));
		if (world.heavy == n)
			be_slow(world.heavy_time);
	}
}
const Kind physics_part("physics part", do_part);

/* Waits inside the region of a step until the parts of the step are done. */
void do_physics(Job &job, World &, unsigned int steps)
{
	for (; steps > 0; steps--) {
		const selfmon::Region region(step);
		Counter parts;

		for (unsigned int i = 0; i < PARTS; i++)
			job.spawn(physics_part, i, parts);
		job.wait(parts);
	}
}
const Kind physics("physics", do_physics);

void do_batch(Job &, World &world, unsigned int batch)
{
	const unsigned int each = PARTICLES / BATCHES, end = (batch + 1) * each;

	for (unsigned int i = batch * each; i < end; i++)
		world.glow[i] = std::sin(world.glow[i] + 0.1f);
	count(sparks, world.particles, each);
}
const Kind particle_batch("particle batch", do_batch);

void do_particles(Job &job, World &, unsigned int)
{
	Counter batches;

	for (unsigned int i = 0; i < BATCHES; i++)
		job.spawn(particle_batch, i, batches);
	job.wait(batches);
}
const Kind particles("particles", do_particles);

void cull(Job &, World &world, unsigned int)
{
	unsigned int seen = 0;

	for (unsigned int i = 0; i < BALLS; i++) {
		world.visible[i] = world.x[i] >= 0 && world.x[i] < 1 &&
				   world.y[i] >= 0 && world.y[i] < 1;
		seen += world.visible[i];
	}
	count(balls, world.balls, seen);
}
const Kind culling("culling", cull);

void mix(Job &, World &world, unsigned int)
{
	for (float &sample : world.sound)
		sample = 0;
	for (unsigned int v = 1; v <= VOICES; v++) {
		const selfmon::Region region(voice);
		float phase = 0;

		for (float &sample : world.sound)
			sample += std::sin(phase += 0.01f * float(v));
		count(samples, world.samples, SAMPLES);
	}
}
const Kind audio("audio", mix);

/* Only culling depends on another job: it needs the result of physics. */
void do_all(Job &job, World &, unsigned int steps)
{
	Counter moved, rest;

	job.spawn(audio, 0, rest);
	job.spawn(particles, 0, rest);
	job.spawn(physics, steps, moved);
	job.wait(moved);
	job.spawn(culling, 0, rest);
	job.wait(rest);
}
const Kind simulate("simulate", do_all);

} /* namespace */

extern "C" {
extern const Game game;
const Game game = { VERSION, update, simulate, render };
}
