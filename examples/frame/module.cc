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
constexpr float GRAVITY = 9.8f;

/* Made when the module is loaded; an earlier module's regions are reused. */
std::vector<selfmon::Name> for_each_island(const char *what)
{
	std::vector<selfmon::Name> names;

	for (unsigned int n = 0; n < ISLANDS; n++)
		names.emplace_back((what + std::to_string(n)).c_str());
	return names;
}

const std::vector<selfmon::Name> brains = for_each_island("brain ");
const std::vector<selfmon::Name> islands = for_each_island("island ");
const std::vector<selfmon::Name> layers = for_each_island("layer ");
const selfmon::Name particles("particles");

/* A Site: it becomes another region when an edit moves its line. */
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

		for (unsigned int i = n; i < BALLS; i += ISLANDS)
			world.vx[i] += (0.5f - world.x[i]) * 0.01f;
	}
	blow(world);
}

void step(World &world, float seconds)
{
	for (unsigned int n = 0; n < ISLANDS; n++) {
		const Zone zone(islands[n]);
		const auto start = std::chrono::steady_clock::now();

		for (unsigned int i = n; i < BALLS; i += ISLANDS) {
			world.vy[i] -= GRAVITY * seconds;
			world.x[i] += world.vx[i] * seconds;
			world.y[i] += world.vy[i] * seconds;
			if (world.y[i] < 0)
				world.vy[i] = std::fabs(world.vy[i]) * 0.9f;
		}
		while (world.heavy == n &&
		       std::chrono::steady_clock::now() - start <
			       world.heavy_time)
			;
	}
}

void job(World &world, unsigned int i)
{
	const Zone zone(particles);
	const unsigned int each = PARTICLES / JOBS;

	for (unsigned int k = i * each; k < (i + 1) * each; k++)
		world.glow[k] = std::sin(world.glow[k] + 0.1f);
}

void render(const World &world, SDL_Renderer *renderer)
{
	SDL_SetRenderDrawColor(renderer, 0, 0, 0, 255);
	SDL_RenderClear(renderer);
	SDL_SetRenderDrawColor(renderer, 255, 200, 0, 255);
	for (unsigned int n = 0; n < ISLANDS; n++) {
		const Zone zone(layers[n]);

		for (unsigned int i = n; i < BALLS; i += ISLANDS)
			SDL_RenderDrawPoint(renderer, int(world.x[i] * 320),
					    240 - int(world.y[i] * 240));
	}
}

} /* namespace */

extern "C" {
extern const Game game;
const Game game = { VERSION, update, step, job, render };
}
