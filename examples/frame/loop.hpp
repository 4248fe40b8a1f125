/* SPDX-License-Identifier: MIT */
/* One frame: zones for its parts, which the module fills. */
#ifndef LOOP_HPP
#define LOOP_HPP

#include <memory>
#include <stdexcept>

#include <SDL.h>

#include "frame_log.hpp"
#include "loader.hpp"
#include "pool.hpp"

class Loop {
public:
	static constexpr float STEP = 1.0f / 60; /* seconds, of physics */
	/* A frame of one step: itself, its parts, islands, and the wind. */
	static constexpr unsigned int ZONES = 1 + 6 + 3 * ISLANDS + 1;

	Loop(const char *module, unsigned int workers)
		: loader(module), pool(workers)
	{
		if (!loader.game)
			throw std::runtime_error(loader.error);
		if (SDL_Init(SDL_INIT_VIDEO) == 0)
			window = SDL_CreateWindow("frame", 0, 0, 320, 240, 0);
		if (window)
			renderer = SDL_CreateRenderer(window, -1,
						      SDL_RENDERER_SOFTWARE);
		if (!renderer)
			throw std::runtime_error(SDL_GetError());
		for (unsigned int i = 0; i < BALLS; i++)
			world->x[i] = world->y[i] = float(i) / BALLS;
	}
	~Loop() { SDL_Quit(); }

	/*
	 * Runs a frame with this many steps of physics. Returns false if the
	 * window was closed.
	 */
	bool frame(unsigned int steps)
	{
		loader.refresh(); /* between frames: no job runs */
		log.begin(frames++);
		play(*loader.game, steps);
		log.end();
		return !SDL_HasEvent(SDL_QUIT);
	}

	Loader loader;
	Pool pool;
	FrameLog log;
	std::unique_ptr<World> world = std::make_unique<World>();
	unsigned long frames = 0;

private:
	void play(const Game &game, unsigned int steps)
	{
		const Zone frame(whole);
		{
			const Zone zone(input);
			SDL_PumpEvents();
		}
		{
			const Zone zone(update);
			game.update(*world);
		}
		{
			const Zone zone(jobs);
			pool.run(game.job, *world, JOBS);
		}
		for (; steps > 0; steps--) {
			const Zone zone(physics);
			game.step(*world, STEP);
		}
		{
			const Zone zone(render);
			game.render(*world, renderer);
		}
		const Zone zone(show);
		SDL_RenderPresent(renderer);
	}

	const selfmon::Name whole{ "frame" }, input{ "events" },
		update{ "update" }, jobs{ "jobs" }, physics{ "physics" },
		render{ "render" }, show{ "present" };
	SDL_Window *window = nullptr;
	SDL_Renderer *renderer = nullptr;
};

#endif
