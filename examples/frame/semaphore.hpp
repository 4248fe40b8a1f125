/* SPDX-License-Identifier: MIT */
/* A semaphore; std::counting_semaphore needs C++20. */
#ifndef SEMAPHORE_HPP
#define SEMAPHORE_HPP

#include <cerrno>

#include <semaphore.h>

class Semaphore {
public:
	Semaphore() { sem_init(&count, 0, 0); }
	~Semaphore() { sem_destroy(&count); }
	Semaphore(const Semaphore &) = delete;
	Semaphore &operator=(const Semaphore &) = delete;

	void post() { sem_post(&count); }
	void wait()
	{
		while (sem_wait(&count) != 0 && errno == EINTR)
			;
	}

private:
	sem_t count;
};

#endif
