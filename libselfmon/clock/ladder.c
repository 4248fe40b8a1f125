/* SPDX-License-Identifier: MIT */
#include "clock/ladder.h"

#define NS_PER_S UINT64_C(1000000000)
#define EVENTS_PER_NS 16

static bool offered(const struct selfmon_clock_offer *offer,
		    enum selfmon_clock_source source)
{
	switch (source) {
	case SELFMON_CLOCK_PERF_PAGE:
		return offer->page;
	case SELFMON_CLOCK_CPUID:
		return offer->cpuid_hz != 0;
	case SELFMON_CLOCK_HYPERVISOR:
		return offer->hypervisor_hz != 0;
	case SELFMON_CLOCK_CALIBRATED:
		return true;
	case SELFMON_CLOCK_NONE:
	case SELFMON_CLOCK_GETTIME:
		break;
	}
	return false;
}

enum selfmon_clock_source
selfmon_clock_choose(const struct selfmon_clock_offer *offer,
		     enum selfmon_clock_source best)
{
	static const enum selfmon_clock_source ladder[] = {
		SELFMON_CLOCK_PERF_PAGE,
		SELFMON_CLOCK_CPUID,
		SELFMON_CLOCK_HYPERVISOR,
		SELFMON_CLOCK_CALIBRATED,
	};
	size_t i;

	if (!offer->direct)
		return SELFMON_CLOCK_GETTIME;
	for (i = 0; i < sizeof(ladder) / sizeof(ladder[0]); i++)
		if (ladder[i] >= best && offered(offer, ladder[i]))
			return ladder[i];
	return SELFMON_CLOCK_GETTIME;
}

void selfmon_clock_from_hz(struct selfmon_clock *clock,
			   enum selfmon_clock_source source, uint64_t hz)
{
	*clock = (struct selfmon_clock){ .source = source, .hz = hz };
	if (source == SELFMON_CLOCK_GETTIME) {
		clock->mult = 1;
		return;
	}
	clock->shift = SELFMON_CLOCK_SHIFT;
	clock->mult = ((NS_PER_S << SELFMON_CLOCK_SHIFT) + hz / 2) / hz;
	clock->error_ppm = 1;
}

uint32_t selfmon_clock_events_per_tick(uint64_t hz)
{
	const uint64_t events = EVENTS_PER_NS * NS_PER_S;

	return (uint32_t)((events + hz - 1) / hz);
}

const char *selfmon_clock_source_name(enum selfmon_clock_source source)
{
	switch (source) {
	case SELFMON_CLOCK_NONE:
		return "not chosen";
	case SELFMON_CLOCK_PERF_PAGE:
		return "perf page";
	case SELFMON_CLOCK_CPUID:
		return "CPUID 15H";
	case SELFMON_CLOCK_HYPERVISOR:
		return "hypervisor";
	case SELFMON_CLOCK_CALIBRATED:
		return "calibrated";
	case SELFMON_CLOCK_GETTIME:
		return "clock_gettime";
	}
	return "unknown";
}
