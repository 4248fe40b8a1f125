/* SPDX-License-Identifier: MIT */
/*
 * The process's clock, which is chosen once.
 *
 * A forked child inherits its parent's choice: constants, and a descriptor,
 * which the child closes when it first uses the library. The parent may fork
 * while another of its threads is choosing; the child does not have this
 * thread. The anchor (the first reading) therefore takes no lock: racing
 * threads each make an anchor, and the first one published is used. Choosing
 * the clock opens an event and may sleep, so one thread owns the choice. The
 * owner is identified by a token of its process. A child sees that the owner is
 * in another process, and takes over. A process id would not work, because both
 * processes may have pid 1 in different PID namespaces.
 */
#include "clock/clock.h"

#include <errno.h>
#include <pthread.h>

#include "clock/calibrate.h"
#include "clock/ladder.h"
#include "clock/page_clock.h"
#include "platform/fork.h"
#include "platform/kernel.h"
#include "platform/timestamp.h"

#define NS_PER_S UINT64_C(1000000000)
#define POLL_NS UINT64_C(200000)

/*
 * The first pair of readings has few tries, to keep the library's first use
 * fast. The second pair has more.
 */
#define ANCHOR_TRIES 8

struct anchor {
	bool direct;
	struct selfmon_clock_pair pair;
};

#define RACERS 16
static struct anchor anchors[RACERS];
static uint32_t anchors_used;
static const struct anchor *published;

#define OWNER_NONE 0
#define OWNER_DONE (-1)
#define OWNER_UNSTATED (-2) /* no known rate: selfmon_clock() will calibrate */
/* OWNER_*, or the token of the process that chooses. */
static int32_t owner;
static struct selfmon_clock chosen;

static enum selfmon_clock_source best = SELFMON_CLOCK_NONE;

/*
 * Disables cancellation: opening, reading and sleeping are cancellation points,
 * and a cancelled thread would never finish the choice.
 */
static int cancel_hold(void)
{
	int state;

	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
	return state;
}

static void cancel_release(int state)
{
	pthread_setcancelstate(state, &state);
}

static const struct anchor *anchor_load(void)
{
	return __atomic_load_n(&published, __ATOMIC_ACQUIRE);
}

static const struct anchor *anchor_slow(void)
{
	const uint32_t slot = __atomic_fetch_add(&anchors_used, 1,
						 __ATOMIC_RELAXED);
	const struct anchor *none = NULL;
	struct anchor *mine;

	if (slot >= RACERS) {
		while (anchor_load() == NULL)
			selfmon_kernel_yield();
		return anchor_load();
	}
	mine = &anchors[slot];
	mine->direct = best != SELFMON_CLOCK_GETTIME &&
		       selfmon_timestamp_steady();
	selfmon_clock_pair_take(&mine->pair, ANCHOR_TRIES);
	__atomic_compare_exchange_n(&published, &none,
				    (const struct anchor *)mine, false,
				    __ATOMIC_RELEASE, __ATOMIC_RELAXED);
	return anchor_load();
}

static const struct anchor *anchor(void)
{
	const struct anchor *at = anchor_load();
	int state;

	if (selfmon_likely(at != NULL))
		return at;
	state = cancel_hold();
	at = anchor_slow();
	cancel_release(state);
	return at;
}

void selfmon_clock_anchor(void)
{
	anchor();
}

bool selfmon_clock_direct(void)
{
	return anchor()->direct;
}

uint64_t selfmon_clock_ticks(void)
{
	return anchor()->direct ? selfmon_arch_timestamp()
				: selfmon_kernel_monotonic_ns();
}

/*
 * Fills in the clock sources to choose from, and the page's clock if it can be
 * used. Then the others are not looked for.
 */
static void survey(struct selfmon_clock_offer *offer,
		   struct selfmon_clock *page_clock)
{
	struct selfmon_timestamp_leaves leaves;
	struct selfmon_timestamp_rates rates;

	*offer = (struct selfmon_clock_offer){ .direct = anchor()->direct };
	if (!offer->direct)
		return;
	if (best <= SELFMON_CLOCK_PERF_PAGE)
		offer->page = selfmon_clock_page_open(page_clock) == 0;
	if (offer->page)
		return;
	selfmon_timestamp_read(&leaves);
	selfmon_timestamp_decode(&leaves, &rates);
	offer->cpuid_hz = rates.cpuid_hz;
	offer->hypervisor_hz = rates.hypervisor_hz;
}

/*
 * Chooses a source whose rate is known without calibration. Returns false if
 * there is none.
 */
static bool choose_stated(struct selfmon_clock *clock)
{
	struct selfmon_clock_offer offer;
	enum selfmon_clock_source source;

	survey(&offer, clock);
	source = selfmon_clock_choose(&offer, best);
	switch (source) {
	case SELFMON_CLOCK_CPUID:
		selfmon_clock_from_hz(clock, source, offer.cpuid_hz);
		break;
	case SELFMON_CLOCK_HYPERVISOR:
		selfmon_clock_from_hz(clock, source, offer.hypervisor_hz);
		break;
	case SELFMON_CLOCK_CALIBRATED:
		return false;
	case SELFMON_CLOCK_GETTIME:
		selfmon_clock_from_hz(clock, source, NS_PER_S);
		break;
	case SELFMON_CLOCK_NONE:
	case SELFMON_CLOCK_PERF_PAGE:
		break;
	}
	return true;
}

static bool clock_done(void)
{
	return __atomic_load_n(&owner, __ATOMIC_ACQUIRE) == OWNER_DONE;
}

/* Returns true if the caller must choose, false if the clock is chosen. */
static bool claim(void)
{
	const int32_t self = selfmon_fork_token();
	int32_t seen = __atomic_load_n(&owner, __ATOMIC_ACQUIRE);

	while (seen != OWNER_DONE) {
		if (seen == self) {
			selfmon_kernel_sleep_ns(POLL_NS);
			seen = __atomic_load_n(&owner, __ATOMIC_ACQUIRE);
			continue;
		}
		if (__atomic_compare_exchange_n(&owner, &seen, self, false,
						__ATOMIC_ACQUIRE,
						__ATOMIC_ACQUIRE))
			return true;
	}
	return false;
}

const struct selfmon_clock *selfmon_clock(void)
{
	int state;

	if (clock_done())
		return &chosen;
	state = cancel_hold();
	if (claim()) {
		if (!choose_stated(&chosen))
			selfmon_clock_calibrate(&chosen, &anchor()->pair);
		__atomic_store_n(&owner, OWNER_DONE, __ATOMIC_RELEASE);
	}
	cancel_release(state);
	return &chosen;
}

void selfmon_clock_first_pair(struct selfmon_clock_pair *pair)
{
	*pair = anchor()->pair;
}

/*
 * Chooses the clock if its rate is known without calibration. Tries once, since
 * each attempt opens an event. Does nothing if another thread is choosing: that
 * thread may be calibrating, which may sleep. Also does nothing in a forked
 * child whose parent was choosing at the fork: only claim() takes over from
 * another process.
 */
static void choose_without_wait(void)
{
	int32_t none = OWNER_NONE;

	if (!__atomic_compare_exchange_n(&owner, &none, selfmon_fork_token(),
					 false, __ATOMIC_ACQUIRE,
					 __ATOMIC_RELAXED))
		return;
	__atomic_store_n(&owner,
			 choose_stated(&chosen) ? OWNER_DONE : OWNER_UNSTATED,
			 __ATOMIC_RELEASE);
}

bool selfmon_clock_without_wait(struct selfmon_clock *clock)
{
	int state;

	if (!clock_done()) {
		state = cancel_hold();
		choose_without_wait();
		cancel_release(state);
	}
	if (!clock_done())
		return false;
	*clock = chosen;
	return true;
}

uint32_t selfmon_clock_max_events_per_tick(void)
{
	if (clock_done())
		return selfmon_clock_events_per_tick(chosen.hz);
	return selfmon_clock_events_per_tick(
		selfmon_clock_direct() ? SELFMON_ARCH_TIMESTAMP_HZ_MIN
				       : NS_PER_S);
}

int selfmon_clock_force(enum selfmon_clock_source source)
{
	if (anchor_load() != NULL)
		return -EBUSY;
	best = source;
	return 0;
}

void selfmon_thread_usage(struct selfmon_thread_usage *usage)
{
	selfmon_kernel_thread_usage(&usage->cpu_ns, &usage->preempted,
				    &usage->blocked);
}
