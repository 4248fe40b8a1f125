/* SPDX-License-Identifier: MIT */
/* The interface between the program and the game's module. */
#ifndef GAME_HPP
#define GAME_HPP

#include <atomic>
#include <chrono>
#include <cstdint>

#include "job.hpp"

struct SDL_Renderer;

/* Each island has a zone in some parts of a frame. */
constexpr unsigned int ISLANDS = 64;
constexpr unsigned int ISLAND_BALLS = 64, BALLS = ISLANDS * ISLAND_BALLS;
constexpr unsigned int PARTS = 8;    /* jobs that share the islands */
constexpr unsigned int BATCHES = 16; /* jobs that share the particles */
constexpr unsigned int PARTICLES = BATCHES * 4096;
/* Number of voices, and of sound samples per frame. */
constexpr unsigned int VOICES = 8, SAMPLES = 735;
constexpr float STEP = 1.0f / 60; /* seconds of physics */

/* The state that survives a reload of the module: the program owns it. */
struct World {
	float x[BALLS], y[BALLS], vx[BALLS], vy[BALLS], glow[PARTICLES];
	bool visible[BALLS];
	float sound[SAMPLES];
	unsigned int heavy = ISLANDS; /* index of a slow island; ISLANDS: none */
	/* Duration of the physics of the heavy island. */
	std::chrono::nanoseconds heavy_time;

	/*
	 * The jobs add their work here. The units of the report must have the
	 * same sums.
	 */
	std::atomic<std::uint64_t> contacts, particles, balls, samples;
};

/* The module's export, named `game`. */
struct Game {
	unsigned int version;
	void (*update)(World &world);
	/* Runs as a job, whose number is the number of steps. */
	const Kind &simulate;
	void (*render)(const World &world, SDL_Renderer *renderer);
};

#endif
