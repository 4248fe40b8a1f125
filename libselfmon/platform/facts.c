/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "platform/facts.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "platform/directory.h"
#include "platform/kernel.h"

#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#endif

#define DEVICES_PATH "/sys/bus/event_source/devices"
/* SECCOMP_MODE_FILTER of <linux/seccomp.h>. */
#define SECCOMP_FILTER 2
/*
 * Size for /proc/self/status: about 1,500 bytes, more with many memory nodes.
 */
#define STATUS_SIZE 8192
#define PATH_SIZE 512

ssize_t selfmon_facts_text(const char *root, const char *path, char *text,
			   size_t size)
{
	char name[PATH_SIZE];
	const int n = snprintf(name, sizeof(name), "%s%s", root, path);

	if (n < 0 || (size_t)n >= sizeof(name))
		return -ENAMETOOLONG;
	return selfmon_kernel_read_file(name, text, size);
}

int64_t selfmon_facts_number(const char *root, const char *path)
{
	char text[32], *end;
	int64_t value;

	if (selfmon_facts_text(root, path, text, sizeof(text)) <= 0)
		return SELFMON_FACT_UNKNOWN;
	value = strtoll(text, &end, 10);
	return end == text ? SELFMON_FACT_UNKNOWN : value;
}

/*
 * Returns true if the file exists, even if it is empty or larger than the
 * buffer.
 */
static bool file_exists(const char *root, const char *path)
{
	char text[8];
	const ssize_t n = selfmon_facts_text(root, path, text, sizeof(text));

	return n >= 0 || n == -EFBIG;
}

static bool file_contains(const char *root, const char *path, const char *word)
{
	char text[4096];

	return selfmon_facts_text(root, path, text, sizeof(text)) > 0 &&
	       strstr(text, word);
}

/*
 * Checks /proc/version first: in a container, os-release describes the
 * container's image and not the kernel.
 */
static enum selfmon_distribution find_distribution(const char *root,
						   bool container)
{
	static const char path[] = "/etc/os-release";

	if (file_contains(root, "/proc/version", "Ubuntu"))
		return SELFMON_DISTRIBUTION_UBUNTU;
	if (file_contains(root, "/proc/version", "debian"))
		return SELFMON_DISTRIBUTION_DEBIAN;
	if (container)
		return SELFMON_DISTRIBUTION_OTHER;
	/*
	 * A distribution derived from Ubuntu names ubuntu and debian in
	 * ID_LIKE. Ubuntu's kernel is the closer match.
	 */
	if (file_contains(root, path, "ubuntu"))
		return SELFMON_DISTRIBUTION_UBUNTU;
	if (file_contains(root, path, "ID=debian") ||
	    file_contains(root, path, "ID_LIKE=debian"))
		return SELFMON_DISTRIBUTION_DEBIAN;
	return SELFMON_DISTRIBUTION_OTHER;
}

/*
 * The first entry that matches decides. Kubernetes is first, since its
 * containers look like docker's or containerd's, too. If word is "", the file
 * only has to exist. systemd and nspawn write the runtime's name to
 * /run/systemd/container (systemd.io/CONTAINER_INTERFACE).
 */
static const struct {
	const char *path, *word;
	enum selfmon_runtime runtime;
} container_sign[] = {
	{ "/var/run/secrets/kubernetes.io/serviceaccount/namespace", "",
	  SELFMON_RUNTIME_KUBERNETES },
	{ "/proc/self/cgroup", "kubepods", SELFMON_RUNTIME_KUBERNETES },
	{ "/run/.containerenv", "", SELFMON_RUNTIME_PODMAN },
	{ "/proc/self/cgroup", "libpod", SELFMON_RUNTIME_PODMAN },
	{ "/.dockerenv", "", SELFMON_RUNTIME_DOCKER },
	{ "/proc/self/cgroup", "docker", SELFMON_RUNTIME_DOCKER },
	{ "/run/systemd/container", "podman", SELFMON_RUNTIME_PODMAN },
	{ "/run/systemd/container", "docker", SELFMON_RUNTIME_DOCKER },
	{ "/run/systemd/container", "nspawn", SELFMON_RUNTIME_NSPAWN },
	{ "/run/systemd/container", "lxc", SELFMON_RUNTIME_LXC },
	{ "/proc/self/cgroup", "/lxc", SELFMON_RUNTIME_LXC },
	{ "/run/systemd/container", "", SELFMON_RUNTIME_NONE },
	{ "/proc/self/cgroup", "containerd", SELFMON_RUNTIME_NONE },
};

static void find_container(const char *root, struct selfmon_facts *facts)
{
	size_t i;

	for (i = 0; i < sizeof(container_sign) / sizeof(container_sign[0]);
	     i++) {
		const char *const path = container_sign[i].path;
		const char *const word = container_sign[i].word;

		if (*word ? !file_contains(root, path, word)
			  : !file_exists(root, path))
			continue;
		facts->container = true;
		facts->runtime = container_sign[i].runtime;
		return;
	}
}

/*
 * Executes CPUID if this machine is an x86. For other machines and for recorded
 * ones, looks at files in /sys and /proc instead. Reads /proc/cpuinfo only for
 * a recorded machine.
 */
static bool find_hypervisor(const char *root)
{
#if defined(__x86_64__) || defined(__i386__)
	/* CPUID 1, ECX bit 31: set by hypervisors, 0 on physical CPUs. */
	unsigned int a, b, c = 0, d;

	if (!*root)
		return __get_cpuid(1, &a, &b, &c, &d) && c >> 31;
#endif
	return file_exists(root, "/sys/hypervisor/type") ||
	       file_exists(root,
			   "/proc/device-tree/hypervisor/compatible") ||
	       file_contains(root, "/sys/class/dmi/id/sys_vendor", "QEMU") ||
	       (*root && file_contains(root, "/proc/cpuinfo", " hypervisor"));
}

/*
 * Looks for a PMU such as cpu, cpu_core, cpum_cf (s390), armv8_pmuv3_0 or
 * apple_icestorm_pmu.
 */
static bool find_core_pmu(const char *root)
{
	struct selfmon_directory devices;
	char path[PATH_SIZE], name[64];
	bool found = false;

	snprintf(path, sizeof(path), "%s%s", root, DEVICES_PATH);
	selfmon_directory_open(path, &devices);
	while (!found && selfmon_directory_next(&devices, name, sizeof(name)))
		found = !strncmp(name, "cpu", 3) || !strncmp(name, "armv", 4) ||
			!strncmp(name, "apple_", 6);
	selfmon_directory_close(&devices);
	return found;
}

/*
 * In the initial user namespace, uid_map maps all 2^32 - 1 ids to themselves.
 */
static bool find_user_namespace(const char *root)
{
	static const char path[] = "/proc/self/uid_map";

	return file_exists(root, path) &&
	       !file_contains(root, path, "4294967295");
}

static void read_status(const char *root, struct selfmon_facts *facts)
{
	char text[STATUS_SIZE];
	const char *line;

	facts->no_status = selfmon_facts_text(root, "/proc/self/status", text,
					      sizeof(text)) <= 0;
	if (facts->no_status)
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

static int64_t limit_in(const char **words)
{
	char *end;
	int64_t value;

	*words += strspn(*words, " ");
	if (!strncmp(*words, "unlimited", 9)) {
		*words += 9;
		return SELFMON_FACT_UNLIMITED;
	}
	value = strtoll(*words, &end, 10);
	*words = end;
	return value;
}

/* Parses lines of /proc/self/limits: name, soft limit, hard limit. */
static void read_recorded_limits(const char *root, struct selfmon_facts *facts)
{
	static const char files[] = "\nMax open files ";
	static const char memory[] = "\nMax locked memory ";
	char text[4096];
	const char *at;

	if (selfmon_facts_text(root, "/proc/self/limits", text,
			       sizeof(text)) <= 0)
		return;
	at = strstr(text, files);
	if (at) {
		at += sizeof(files) - 1;
		facts->nofile = limit_in(&at);
		facts->nofile_hard = limit_in(&at);
	}
	at = strstr(text, memory);
	if (at) {
		at += sizeof(memory) - 1;
		facts->memlock = limit_in(&at);
	}
}

static void read_limits(const char *root, struct selfmon_facts *facts)
{
	struct rlimit limit;

	facts->nofile = facts->nofile_hard = SELFMON_FACT_UNKNOWN;
	facts->memlock = SELFMON_FACT_UNKNOWN;
	if (*root) {
		read_recorded_limits(root, facts);
		return;
	}
	if (!getrlimit(RLIMIT_NOFILE, &limit)) {
		facts->nofile = limit_of(limit.rlim_cur);
		facts->nofile_hard = limit_of(limit.rlim_max);
	}
	if (!getrlimit(RLIMIT_MEMLOCK, &limit))
		facts->memlock = limit_of(limit.rlim_cur);
}

/*
 * Reads the kernel's version, and whether the machine is a riscv64. A recorded
 * machine has both in files.
 */
static void read_kernel(const char *root, struct selfmon_facts *facts)
{
	char text[128] = "";
	unsigned int major = 0, minor = 0;

	if (!*root) {
		selfmon_kernel_release(text, sizeof(text));
		facts->riscv64 = strstr(text, " riscv64");
		facts->kernel = selfmon_kernel_version();
		return;
	}
	facts->riscv64 = file_contains(root, "/proc/sys/kernel/arch",
				       "riscv64");
	if (selfmon_facts_text(root, "/proc/sys/kernel/osrelease", text,
			       sizeof(text)) > 0 &&
	    sscanf(text, "%u.%u", &major, &minor) == 2)
		facts->kernel = major * 1000 + minor;
}

static void read_numbers(const char *root, struct selfmon_facts *facts)
{
	static const struct {
		size_t member;
		const char *path;
	} number[] = {
#define NUMBER(member, path) { offsetof(struct selfmon_facts, member), path }
		NUMBER(paranoid, "/proc/sys/kernel/perf_event_paranoid"),
		NUMBER(user_access, "/proc/sys/kernel/perf_user_access"),
		NUMBER(rdpmc, DEVICES_PATH "/cpu/rdpmc"),
		NUMBER(mlock_kb, "/proc/sys/kernel/perf_event_mlock_kb"),
		NUMBER(nmi_watchdog, "/proc/sys/kernel/nmi_watchdog"),
		NUMBER(file_max, "/proc/sys/fs/file-max"),
		NUMBER(max_map_count, "/proc/sys/vm/max_map_count"),
#undef NUMBER
	};
	size_t i;

	for (i = 0; i < sizeof(number) / sizeof(number[0]); i++)
		*(int64_t *)(void *)((char *)facts + number[i].member) =
			selfmon_facts_number(root, number[i].path);
	/*
	 * On hybrid CPUs, cpu_core and cpu_atom each have a file rdpmc for the
	 * same setting.
	 */
	if (facts->rdpmc == SELFMON_FACT_UNKNOWN) {
		facts->rdpmc = selfmon_facts_number(
			root, DEVICES_PATH "/cpu_core/rdpmc");
		facts->rdpmc_of_cores = facts->rdpmc != SELFMON_FACT_UNKNOWN;
	}
}

void selfmon_facts_gather_at(const char *root, struct selfmon_facts *facts)
{
	memset(facts, 0, sizeof(*facts));
	read_kernel(root, facts);
	facts->hypervisor = find_hypervisor(root);
	find_container(root, facts);
	facts->distribution = find_distribution(root, facts->container);
	facts->user_namespace = find_user_namespace(root);
	facts->core_pmu = find_core_pmu(root);
	read_numbers(root, facts);
	read_limits(root, facts);
	read_status(root, facts);
}

void selfmon_facts_gather(struct selfmon_facts *facts)
{
	selfmon_facts_gather_at("", facts);
}
