/* SPDX-License-Identifier: MIT */
/* The interface between the program and the game's module. */
#ifndef GAME_HPP
#define GAME_HPP

#include <chrono>

struct SDL_Renderer;

constexpr unsigned int ISLANDS = 64; /* one zone each in every part of a
					frame */
constexpr unsigned int BALLS = ISLANDS * 64;
constexpr unsigned int JOBS = 16;    /* in a frame, for the workers */
constexpr unsigned int PARTICLES = JOBS * 1024;

/* All persistent state belongs to the program: a module comes and goes. */
struct World {
	float x[BALLS], y[BALLS], vx[BALLS], vy[BALLS], glow[PARTICLES];
	unsigned int heavy = ISLANDS; /* a slow island; ISLANDS: none */
	std::chrono::nanoseconds heavy_time; /* of that island's physics */
};

/* The module's export, named `game`. */
struct Game {
	unsigned int version;
	void (*update)(World &world);
	void (*step)(World &world, float seconds);
	void (*job)(World &world, unsigned int i); /* on a worker */
	void (*render)(const World &world, SDL_Renderer *renderer);
};

#endif
