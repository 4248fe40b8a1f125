/* SPDX-License-Identifier: MIT */
/* The machine's settings and limits for perf events. */
#ifndef SELFMON_PLATFORM_FACTS_H
#define SELFMON_PLATFORM_FACTS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* Value of a number that could not be read. */
#define SELFMON_FACT_UNKNOWN INT64_MIN
/* Value of a limit that is infinite (RLIM_INFINITY). */
#define SELFMON_FACT_UNLIMITED INT64_MAX

/* Bits of the capability sets: <linux/capability.h>. */
#define SELFMON_CAP_IPC_LOCK 14
#define SELFMON_CAP_SYS_ADMIN 21
#define SELFMON_CAP_PERFMON 38

/* Distributions whose kernel adds levels above 2 to perf_event_paranoid. */
enum selfmon_distribution {
	SELFMON_DISTRIBUTION_OTHER = 0,
	SELFMON_DISTRIBUTION_DEBIAN, /* level 3 requires CAP_SYS_ADMIN */
	SELFMON_DISTRIBUTION_UBUNTU  /* level 4 requires CAP_SYS_ADMIN */
};

/*
 * The container's runtime. It determines the command that a message suggests.
 */
enum selfmon_runtime {
	SELFMON_RUNTIME_NONE = 0, /* no container, or an unknown kind */
	SELFMON_RUNTIME_DOCKER,
	SELFMON_RUNTIME_PODMAN,
	SELFMON_RUNTIME_KUBERNETES,
	SELFMON_RUNTIME_NSPAWN,
	SELFMON_RUNTIME_LXC
};

struct selfmon_facts {
	enum selfmon_distribution distribution;
	unsigned int kernel; /* major * 1000 + minor; 0: unknown */
	bool riscv64;
	bool hypervisor;
	bool container;
	enum selfmon_runtime runtime;
	/*
	 * The process is in a user namespace other than the initial one.
	 * Capabilities have no effect on perf events there.
	 */
	bool user_namespace;
	bool seccomp;	       /* a seccomp filter checks each system call */
	bool no_status;	       /* seccomp and capabilities could not be read */
	bool core_pmu;	       /* the PMU of the CPU cores is registered */
	uint64_t capabilities; /* effective, one bit each */
	int64_t paranoid;      /* kernel.perf_event_paranoid */
	int64_t user_access;   /* kernel.perf_user_access (arm64, riscv64) */
	int64_t rdpmc;	       /* the file rdpmc of the core PMU (x86) */
	bool rdpmc_of_cores;   /* rdpmc is from cpu_core, of a hybrid CPU */
	int64_t mlock_kb;      /* kernel.perf_event_mlock_kb */
	int64_t nmi_watchdog;  /* kernel.nmi_watchdog */
	int64_t file_max;      /* fs.file-max */
	int64_t max_map_count; /* vm.max_map_count */
	int64_t nofile;	       /* RLIMIT_NOFILE, soft */
	int64_t nofile_hard;
	int64_t memlock; /* RLIMIT_MEMLOCK in bytes, soft */
};

/* Fills in all members. Values that cannot be read are unknown or false. */
void selfmon_facts_gather(struct selfmon_facts *facts);

/*
 * Like selfmon_facts_gather(), for a machine whose /etc, /proc and /sys were
 * recorded in the directory root, including /proc/self of the process. If root
 * is "", uses this machine.
 */
void selfmon_facts_gather_at(const char *root, struct selfmon_facts *facts);

/* Returns the number in a file below root, or SELFMON_FACT_UNKNOWN. */
int64_t selfmon_facts_number(const char *root, const char *path);

/* Reads a file below root like selfmon_kernel_read_file(). */
ssize_t selfmon_facts_text(const char *root, const char *path, char *text,
			   size_t size);

#endif
