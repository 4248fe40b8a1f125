/* SPDX-License-Identifier: MIT */
#include <inttypes.h>
#include <string.h>

#include "doctor/remedy.h"

void selfmon_sentence_add_sysctl(struct selfmon_sentence *sentence,
				 const struct selfmon_facts *facts,
				 const char *name, int64_t value)
{
	selfmon_sentence_add(sentence, "As root%s: sysctl -w %s=%" PRId64,
			     facts->container ? " on the host" : "", name,
			     value);
}

void selfmon_sentence_add_capability(struct selfmon_sentence *sentence,
				     const struct selfmon_facts *facts,
				     bool admin)
{
	const char *const name = admin ? "SYS_ADMIN" : "PERFMON";

	if (!facts->container)
		selfmon_sentence_add(sentence, "setcap cap_%s+ep PROGRAM",
				     admin ? "sys_admin" : "perfmon");
	else if (facts->runtime == SELFMON_RUNTIME_KUBERNETES)
		selfmon_sentence_add(sentence,
				     "add %s to the container's "
				     "securityContext.capabilities.add", name);
	else if (facts->runtime == SELFMON_RUNTIME_NSPAWN)
		selfmon_sentence_add(sentence,
				     "start the container with "
				     "--capability=CAP_%s", name);
	else if (facts->runtime == SELFMON_RUNTIME_LXC)
		selfmon_sentence_add(sentence,
				     "take %s out of the container's "
				     "lxc.cap.drop",
				     admin ? "sys_admin" : "perfmon");
	else
		selfmon_sentence_add(sentence,
				     "start the container with --cap-add %s",
				     name);
}

void selfmon_sentence_add_unfilter(struct selfmon_sentence *sentence,
				   const struct selfmon_facts *facts)
{
	static const struct {
		const char *first, *other;
	} how[] = {
		[SELFMON_RUNTIME_NONE] = {
			"Start the container with --cap-add PERFMON (older "
			"runtimes: SYS_ADMIN)",
			", or with --security-opt seccomp=unconfined" },
		[SELFMON_RUNTIME_DOCKER] = {
			"Start the container with --cap-add PERFMON (older "
			"runtimes: SYS_ADMIN)",
			", or with --security-opt seccomp=unconfined" },
		/*
		 * Until October 2025 podman's seccomp profile required both
		 * capabilities.
		 */
		[SELFMON_RUNTIME_PODMAN] = {
			"podman run --cap-add PERFMON,SYS_ADMIN",
			", or with --security-opt seccomp=unconfined" },
		[SELFMON_RUNTIME_KUBERNETES] = {
			"Add PERFMON to the container's "
			"securityContext.capabilities.add",
			", or set securityContext.seccompProfile.type: "
			"Unconfined" },
		[SELFMON_RUNTIME_NSPAWN] = {
			"Start the container with "
			"--system-call-filter=perf_event_open", "" },
		[SELFMON_RUNTIME_LXC] = {
			"Allow the call in the file that lxc.seccomp.profile "
			"names", "" },
	};

	if (!facts->container) {
		selfmon_sentence_add(sentence,
				     "Allow the call there (systemd: "
				     "SystemCallFilter=perf_event_open)");
		return;
	}
	selfmon_sentence_add(sentence, "%s", how[facts->runtime].first);
	selfmon_sentence_other(sentence);
	selfmon_sentence_add(sentence, "%s", how[facts->runtime].other);
}

void selfmon_sentence_add_limit(struct selfmon_sentence *sentence,
				const struct selfmon_facts *facts,
				const char *name, const char *value)
{
	switch (facts->runtime) {
	case SELFMON_RUNTIME_PODMAN:
		selfmon_sentence_add(sentence, "podman run --ulimit %s=%s",
				     name, value);
		break;
	case SELFMON_RUNTIME_KUBERNETES:
		/* Pods have no field to set limits: kubernetes#3595. */
		selfmon_sentence_add(sentence,
				     "raise the limit of the node's container "
				     "runtime (systemctl edit containerd)");
		break;
	case SELFMON_RUNTIME_NSPAWN:
		selfmon_sentence_add(sentence, "systemd-nspawn --rlimit=%s=%s",
				     !strcmp(name, "nofile") ? "NOFILE"
							     : "MEMLOCK",
				     !strcmp(value, "-1") ? "infinity"
							  : value);
		break;
	case SELFMON_RUNTIME_LXC:
		selfmon_sentence_add(sentence, "lxc.prlimit.%s = %s", name,
				     value);
		break;
	default:
		selfmon_sentence_add(sentence, "docker run --ulimit %s=%s",
				     name, value);
	}
}
