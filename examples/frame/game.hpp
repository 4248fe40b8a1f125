/* SPDX-License-Identifier: MIT */
/* What the program and the module of the game know of each other. */
#ifndef GAME_HPP
#define GAME_HPP

#include <chrono>

struct SDL_Renderer;

constexpr unsigned int ISLANDS = 64; /* a zone each in every part of a frame */
constexpr unsigned int BALLS = ISLANDS * 64;
constexpr unsigned int JOBS = 16;    /* a frame, for the workers */
constexpr unsigned int PARTICLES = JOBS * 1024;

/* All that lasts is the program's: a module comes and goes. */
struct World {
	float x[BALLS], y[BALLS], vx[BALLS], vy[BALLS], glow[PARTICLES];
	unsigned int heavy = ISLANDS; /* the physics of this island takes ... */
	std::chrono::nanoseconds heavy_time; /* ... so long; of none: ISLANDS */
};

/* What a module exports, as `game`. */
struct Game {
	unsigned int version;
	void (*update)(World &world);
	void (*step)(World &world, float seconds);
	void (*job)(World &world, unsigned int i); /* on a worker */
	void (*render)(const World &world, SDL_Renderer *renderer);
};

#endif
