/* SPDX-License-Identifier: MIT */
/* Loads the game's module, and reloads it when its file changes. */
#ifndef LOADER_HPP
#define LOADER_HPP

#include <filesystem>
#include <string>

#include <dlfcn.h>
#include <sys/stat.h>
#include <unistd.h>

#include "game.hpp"

class Loader {
public:
	explicit Loader(const char *file) : path(file) { refresh(); }
	~Loader() { unload(); }

	/*
	 * Loads the module again if its file was replaced. If the new file
	 * cannot be loaded, the old module stays. Call it only while no thread
	 * is in the module.
	 */
	void refresh()
	{
		struct stat now = {};

		if (stat(path.c_str(), &now) != 0 ||
		    (now.st_ino == seen.st_ino &&
		     now.st_ctim.tv_nsec == seen.st_ctim.tv_nsec))
			return;
		seen = now;
		load(path + "." + std::to_string(getpid()) + "." +
		     std::to_string(generation++));
	}

	const Game *game = nullptr; /* NULL: never loaded */
	std::string error;          /* of the last load; "" on success */
	unsigned int stuck = 0;     /* modules still loaded after dlclose */

private:
	/*
	 * Loads a copy of the file: if a file of the same name were open,
	 * dlopen(3) would return the old module.
	 */
	void load(const std::string &fresh)
	{
		std::error_code none;

		std::filesystem::copy_file(path, fresh, none);
		void *const opened = dlopen(fresh.c_str(), RTLD_NOW);
		void *const found = opened ? dlsym(opened, "game") : nullptr;
		error = found ? "" : dlerror();
		std::filesystem::remove(fresh, none);
		if (!found) {
			if (opened)
				dlclose(opened);
			return;
		}
		unload();
		copy = fresh;
		handle = opened;
		game = static_cast<const Game *>(found);
	}
	/* The module's regions stay: the library copied their names. */
	void unload()
	{
		if (!handle)
			return;
		dlclose(handle);
		stuck += dlopen(copy.c_str(), RTLD_NOW | RTLD_NOLOAD) != nullptr;
	}

	std::string path, copy;
	struct stat seen = {};
	void *handle = nullptr;
	unsigned int generation = 0;
};

#endif
