/* SPDX-License-Identifier: MIT */
/*
 * Tests a reader that is interrupted all the time. The writer is a signal
 * handler in the reader's own thread, on a timer of at least 10 us. Like the
 * kernel's update, it runs between two instructions of the reader, and it
 * follows perf_event_update_userpage().
 */
#include <criterion/criterion.h>
#include <signal.h>
#include <stdint.h>
#include <sys/time.h>
#include <time.h>

static uint64_t model_read(uint32_t counter);
#define SELFMON_READ_COUNTER(counter, set) ((void)(set), model_read(counter))

#include <selfmon/counters.h>

#define REGISTERS 4
/*
 * The first counter's number. It is above 1, which is not a counter on riscv64.
 */
#define FIRST 2
#define WIDTH 48
#define ENOUGH_RETRIES 10000

static struct selfmon_page page[2];
static volatile uint64_t registers[2 * REGISTERS];
/*
 * Number of updates. Page 0 has counted 7 times this number, page 1 21 times.
 */
static volatile uint64_t epoch;
static uint64_t seed = 0x9e3779b97f4a7c15;

static uint64_t model_read(uint32_t counter)
{
	return registers[counter - FIRST];
}

static uint64_t noise(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed;
}

/*
 * Gives the page this count, with a register and a start value chosen at
 * random. Changes the event's other registers and its times, too.
 */
static void update(struct selfmon_page *at, uint32_t first, uint64_t count)
{
	const uint32_t chosen = first + (uint32_t)(noise() % REGISTERS);
	uint32_t i;

	at->lock++;
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	for (i = 0; i < REGISTERS; i++)
		registers[first + i] = noise() >> 16;
	at->index = FIRST + chosen + 1;
	at->capabilities = SELFMON_PAGE_CAP_USER_RDPMC;
	at->offset = (int64_t)(count - selfmon_page_extend(registers[chosen],
							   64 - WIDTH));
	at->time_enabled = count;
	at->time_running = count - epoch;
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	at->lock++;
}

static void on_signal(int signo)
{
	(void)signo;
	epoch++;
	update(&page[0], 0, 7 * epoch);
	update(&page[1], REGISTERS, 21 * epoch);
}

static uint64_t microseconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000u + (uint64_t)now.tv_nsec / 1000u;
}

/*
 * The timer fires as often as possible, but leaves time for reads on a slow
 * emulator.
 */
static struct itimerval timer_often(void)
{
	const uint64_t start = microseconds();
	suseconds_t cost;
	int i;

	for (i = 0; i < 100; i++)
		raise(SIGALRM);
	cost = (suseconds_t)((microseconds() - start) / 100);
	cost = cost > 2 ? cost * 4 : 10;
	return (struct itimerval){ { 0, cost }, { 0, cost } };
}

/*
 * Calls once() until it was interrupted often enough, or for 1.5 s. Skips the
 * test if it was never interrupted.
 */
static void hammer(void (*once)(uint32_t *moved))
{
	const struct itimerval never = { .it_value = { .tv_sec = 0 } };
	const uint64_t start = microseconds();
	struct itimerval often;
	uint64_t reads;
	uint32_t moved = 0;

	signal(SIGALRM, on_signal);
	often = timer_often();
	cr_assert_eq(setitimer(ITIMER_REAL, &often, NULL), 0);
	for (reads = 0; moved < ENOUGH_RETRIES; reads++) {
		if (reads % 4096 == 0 && microseconds() > start + 1500000)
			break;
		once(&moved);
	}
	setitimer(ITIMER_REAL, &never, NULL);
	if (moved == 0)
		cr_skip_test("no signal arrived within a read");
}

static void read_one(uint32_t *moved)
{
	const uint64_t before = epoch;
	uint64_t value = 0;

	if (!selfmon_page_read(&page[0], 64 - WIDTH, &value, moved))
		cr_assert(false, "64 interrupts within one read");
	if (value % 7 || value < 7 * before || value > 7 * epoch)
		cr_assert(false, "%llu is not 7 * (%llu ... %llu)",
			  (unsigned long long)value,
			  (unsigned long long)before,
			  (unsigned long long)epoch);
}

Test(page_hammer, no_count_is_torn_goes_back_or_leaps)
{
	hammer(read_one);
}

static struct selfmon_counters set;
static uint32_t cpu;

static void read_set(uint32_t *moved)
{
	static bool end;
	const uint64_t before = epoch;
	struct selfmon_snapshot now = { .ticks = 0 };

	end = !end;
	if (!selfmon_impl_snapshot_user(&set, &now, end))
		cr_assert(false, "64 interrupts within one snapshot");
	*moved += now.moved;
	if (now.value[0] < 7 * before || now.value[0] > 7 * epoch)
		cr_assert(false, "the leader's value leapt");
	if (now.value[1] != 3 * now.value[0])
		cr_assert(false, "members of two moments: %llu and %llu",
			  (unsigned long long)now.value[0],
			  (unsigned long long)now.value[1]);
	if (now.off_ns * 7 != now.value[0] || now.enabled_ns != now.value[0])
		cr_assert(false, "the times are of another moment");
}

Test(page_hammer, the_members_of_a_snapshot_are_of_one_moment)
{
	set.page[0] = &page[0];
	set.page[1] = &page[1];
	set.shift[0] = set.shift[1] = 64 - WIDTH;
	set.hardware_count = set.count = 2;
	set.cpu = &cpu;
	hammer(read_set);
}
