/* SPDX-License-Identifier: MIT */
/* What this machine says about itself where perf events are concerned. */
#define _GNU_SOURCE
#include "platform/facts.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "platform/kernel.h"

#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#endif

#define DEVICES_PATH "/sys/bus/event_source/devices"
/* SECCOMP_MODE_FILTER of <linux/seccomp.h>. */
#define SECCOMP_FILTER 2
/* /proc/self/status is some 1,500 bytes, more with many memory nodes. */
#define STATUS_SIZE 8192

static int64_t read_number(const char *path)
{
	char text[32], *end;
	int64_t value;

	if (selfmon_kernel_read_file(path, text, sizeof(text)) <= 0)
		return SELFMON_FACT_UNKNOWN;
	value = strtoll(text, &end, 10);
	return end == text ? SELFMON_FACT_UNKNOWN : value;
}

/* A file that is there, empty or larger than the buffer too. */
static bool file_exists(const char *path)
{
	char text[8];
	const ssize_t n = selfmon_kernel_read_file(path, text, sizeof(text));

	return n >= 0 || n == -EFBIG;
}

static bool file_contains(const char *path, const char *word)
{
	char text[4096];

	return selfmon_kernel_read_file(path, text, sizeof(text)) > 0 &&
	       strstr(text, word);
}

/*
 * The kernel's own word first: in a container os-release tells whose
 * programs run, not whose kernel.
 */
static enum selfmon_distribution find_distribution(bool container)
{
	static const char path[] = "/etc/os-release";

	if (file_contains("/proc/version", "Ubuntu"))
		return SELFMON_DISTRIBUTION_UBUNTU;
	if (file_contains("/proc/version", "debian"))
		return SELFMON_DISTRIBUTION_DEBIAN;
	if (container)
		return SELFMON_DISTRIBUTION_OTHER;
	/* Derived ones name both in ID_LIKE: Ubuntu is the nearer. */
	if (file_contains(path, "ubuntu"))
		return SELFMON_DISTRIBUTION_UBUNTU;
	if (file_contains(path, "ID=debian") ||
	    file_contains(path, "ID_LIKE=debian"))
		return SELFMON_DISTRIBUTION_DEBIAN;
	return SELFMON_DISTRIBUTION_OTHER;
}

static bool find_container(void)
{
	static const char path[] = "/proc/self/cgroup";

	return file_exists("/.dockerenv") ||
	       file_exists("/run/.containerenv") ||
	       file_exists("/run/systemd/container") ||
	       file_contains(path, "docker") ||
	       file_contains(path, "kubepods") ||
	       file_contains(path, "containerd") ||
	       file_contains(path, "libpod") || file_contains(path, "/lxc");
}

static bool find_hypervisor(void)
{
#if defined(__x86_64__) || defined(__i386__)
	/* CPUID 1, ECX bit 31: never set by a CPU, set by hypervisors. */
	unsigned int a, b, c = 0, d;

	return __get_cpuid(1, &a, &b, &c, &d) && c >> 31;
#else
	return file_exists("/sys/hypervisor/type") ||
	       file_exists("/proc/device-tree/hypervisor/compatible") ||
	       file_contains("/sys/class/dmi/id/sys_vendor", "QEMU");
#endif
}

/* cpu, cpu_core, cpum_cf (s390), armv8_pmuv3_0, apple_icestorm_pmu. */
static bool find_core_pmu(void)
{
	DIR *devices = opendir(DEVICES_PATH);
	const struct dirent *entry;
	bool found = false;

	if (!devices)
		return false;
	while (!found && (entry = readdir(devices)))
		found = !strncmp(entry->d_name, "cpu", 3) ||
			!strncmp(entry->d_name, "armv", 4) ||
			!strncmp(entry->d_name, "apple_", 6);
	closedir(devices);
	return found;
}

/* The first namespace maps all 2^32 - 1 ids onto themselves. */
static bool find_user_namespace(void)
{
	static const char path[] = "/proc/self/uid_map";

	return file_exists(path) && !file_contains(path, "4294967295");
}

static void read_status(struct selfmon_facts *facts)
{
	char text[STATUS_SIZE];
	const char *line;

	if (selfmon_kernel_read_file("/proc/self/status", text, sizeof(text)) <=
	    0)
		return;
	line = strstr(text, "\nCapEff:");
	if (line)
		facts->capabilities = strtoull(line + 8, NULL, 16);
	line = strstr(text, "\nSeccomp:");
	if (line)
		facts->seccomp = strtol(line + 9, NULL, 10) == SECCOMP_FILTER;
}

static int64_t limit_of(rlim_t value)
{
	if (value == RLIM_INFINITY || (uint64_t)value > INT64_MAX)
		return SELFMON_FACT_UNLIMITED;
	return (int64_t)value;
}

static void read_limits(struct selfmon_facts *facts)
{
	struct rlimit limit;

	facts->nofile = facts->nofile_hard = SELFMON_FACT_UNKNOWN;
	facts->memlock = SELFMON_FACT_UNKNOWN;
	if (!getrlimit(RLIMIT_NOFILE, &limit)) {
		facts->nofile = limit_of(limit.rlim_cur);
		facts->nofile_hard = limit_of(limit.rlim_max);
	}
	if (!getrlimit(RLIMIT_MEMLOCK, &limit))
		facts->memlock = limit_of(limit.rlim_cur);
}

void selfmon_facts_gather(struct selfmon_facts *facts)
{
	char release[128];

	memset(facts, 0, sizeof(*facts));
	selfmon_kernel_release(release, sizeof(release));
	facts->riscv64 = strstr(release, " riscv64");
	facts->kernel = selfmon_kernel_version();
	facts->hypervisor = find_hypervisor();
	facts->container = find_container();
	facts->distribution = find_distribution(facts->container);
	facts->user_namespace = find_user_namespace();
	facts->core_pmu = find_core_pmu();
	facts->paranoid = read_number("/proc/sys/kernel/perf_event_paranoid");
	facts->user_access = read_number("/proc/sys/kernel/perf_user_access");
	facts->rdpmc = read_number(DEVICES_PATH "/cpu/rdpmc");
	facts->mlock_kb = read_number("/proc/sys/kernel/perf_event_mlock_kb");
	facts->nmi_watchdog = read_number("/proc/sys/kernel/nmi_watchdog");
	facts->file_max = read_number("/proc/sys/fs/file-max");
	facts->max_map_count = read_number("/proc/sys/vm/max_map_count");
	read_limits(facts);
	read_status(facts);
}
