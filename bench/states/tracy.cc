// SPDX-License-Identifier: MIT
// Tracy's zones in place of regions, with a client that drains their queue. The
// kinds of work are those of in_situ.c, which this file includes.
#include <arpa/inet.h>
#include <dirent.h>
#include <sched.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include <common/TracyProtocol.hpp>
#include <tracy/Tracy.hpp>

static uint64_t zones;

#define ZONE(text)                                                             \
	if (const tracy::ScopedZone zone{ [] {                                 \
		    static constexpr tracy::SourceLocationData at{             \
			    text, "", __FILE__, __LINE__, 0                    \
		    };                                                         \
		    return &at;                                                \
	    }() };                                                             \
	    true)

extern "C" {
#include <selfmon.h>

#include "candidate.h"
#undef SELFMON_REGION
#define SELFMON_REGION ZONE
#define candidate_visits zones
#include "in_situ.c"
#undef candidate_visits
}

static int port()
{
	return std::atoi(std::getenv("TRACY_PORT"));
}

// Chooses a port for this process, since two parts run Tracy at the same time.
// Runs before Tracy starts.
__attribute__((constructor(101))) static void choose_port()
{
	char text[16];

	std::snprintf(text, sizeof(text), "%d", 20000 + getpid() % 20000);
	setenv("TRACY_PORT", text, 1);
}

// Reads all that Tracy sends, as a client does, and keeps nothing.
[[noreturn]] static void drain()
{
	const int to = socket(AF_INET, SOCK_STREAM, 0);
	const uint32_t version = tracy::ProtocolVersion;
	static char data[1 << 16];
	sockaddr_in address{};
	int tries = 500;

	address.sin_family = AF_INET;
	address.sin_port = htons(uint16_t(port()));
	address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	while (connect(to, reinterpret_cast<sockaddr *>(&address),
		       sizeof(address)) != 0 &&
	       tries-- > 0)
		usleep(10000);
	if (write(to, tracy::HandshakeShibboleth,
		  tracy::HandshakeShibbolethSize) > 0 &&
	    write(to, &version, sizeof(version)) > 0)
		while (read(to, data, sizeof(data)) > 0)
			;
	_exit(0);
}

// Moves a thread away from the CPU of the measured thread.
static void move_away(pid_t thread)
{
	const int own = sched_getcpu();
	cpu_set_t others;

	CPU_ZERO(&others);
	for (int cpu = 0; cpu < sysconf(_SC_NPROCESSORS_ONLN); cpu++)
		if (cpu != own)
			CPU_SET(size_t(cpu), &others);
	sched_setaffinity(thread, sizeof(others), &others);
}

static NOINLINE void zone_pairs(uint64_t n)
{
	for (; n > 0; n--)
		ZONE("one")
	selfmon_compiler_fence();
}

// Fills the queue once before the measurement, so that its memory is resident
// as in a program that has run for a while.
static void warm_up()
{
	for (int i = 0; i < 50; i++) {
		zone_pairs(20000);
		usleep(20000);
	}
}

static void start()
{
	DIR *const tasks = opendir("/proc/self/task");
	int tries = 500;

	while (const dirent *const task = tasks ? readdir(tasks) : nullptr)
		if (std::atoi(task->d_name) > 0 &&
		    std::atoi(task->d_name) != getpid())
			move_away(std::atoi(task->d_name));
	closedir(tasks);
	if (fork() == 0) {
		move_away(0);
		drain();
	}
	// Exits at once, because Tracy would wait for the client.
	on_exit([](int status, void *) { _exit(status); }, nullptr);
	while (!tracy::GetProfiler().IsConnected())
		if (tries-- > 0)
			usleep(10000);
		else
			bench_fail("Tracy accepts no client");
	warm_up();
}

extern "C" void prepare_tracy()
{
	bench_configure(nullptr);
	start();
}

extern "C" void prepare_tracy_in_situ()
{
	prepare_in_situ();
	start();
}

extern "C" const struct candidate candidates_tracy[] = {
	{ "bare timestamp pair", bench_bare_timestamps, 1, 1, nullptr, nullptr,
	  nullptr },
	{ "zone", zone_pairs, 1, 1, "timestamp pair", nullptr, nullptr },
	{ nullptr, nullptr, 0, 0, nullptr, nullptr, nullptr }
};
