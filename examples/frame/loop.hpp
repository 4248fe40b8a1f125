/* SPDX-License-Identifier: MIT */
/* The game's loop: each part of a frame has a zone. */
#ifndef LOOP_HPP
#define LOOP_HPP

#include <memory>
#include <stdexcept>

#include <SDL.h>

#include "frame_log.hpp"
#include "jobs.hpp"
#include "loader.hpp"

class Loop {
public:
	/*
	 * Number of zones in a frame: the frame, 5 parts, brains, layers, the
	 * wind.
	 */
	static constexpr unsigned int ZONES = 1 + 5 + 2 * ISLANDS + 1;
	/* Number of jobs in a frame with one step of physics. */
	static constexpr unsigned int JOBS = 5 + PARTS + BATCHES;

	Loop(const char *module, unsigned int workers)
		: loader(module), jobs(workers)
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
		log.end(jobs.take_longest());
		return !SDL_HasEvent(SDL_QUIT);
	}

	Loader loader;
	Jobs jobs;
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
			const Zone zone(simulate);
			jobs.run(game.simulate, *world, steps);
		}
		{
			const Zone zone(render);
			game.render(*world, renderer);
		}
		const Zone zone(show);
		SDL_RenderPresent(renderer);
	}

	const selfmon::Name whole{ "frame" }, input{ "events" },
		update{ "update" }, simulate{ "wait for jobs" },
		render{ "render" }, show{ "present" };
	SDL_Window *window = nullptr;
	SDL_Renderer *renderer = nullptr;
};

#endif
