/* SPDX-License-Identifier: MIT */
/*
 * The parent. Each scene twice over:
 *
 * Stepped. The child stops after each instruction, and at each one that is
 * the library's it is handed a signal; its handler runs at full speed and
 * checks that it leaves the thread as it found it. At the end what was visited
 * must be what was counted.
 *
 * Jumped out of. A breakpoint at each address that was stopped at, a round
 * each: the signal is handed there, and its handler leaves by siglongjmp(3).
 */
#define _GNU_SOURCE
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include "step.h"

/* Distinct stop addresses that there must be, over all scenes. */
#define STOPS_MIN 150
#define ADDRESSES_MAX 65536
/* Of a scene with many addresses, in short: each how many-th. */
#define SHORT_STRIDE 48
/* Of a scene that takes a child for each of its addresses, otherwise. */
#define COLD_STRIDE 8
#define INT3_SIZE 1

/* Both ends, and what the first visits and the unwinding go through. */
static const char *const symbols_needed[] = {
	"selfmon_impl_enter",	 "selfmon_impl_enter_span",
	"selfmon_impl_leave",	 "selfmon_enter_any",
	"selfmon_leave_any",	 "selfmon_tree_child",
	"selfmon_unwind_dead",	 "selfmon_unwind_to",
	"selfmon_thread_attach", "selfmon_impl_units",
};

struct addresses {
	uint64_t at[ADDRESSES_MAX];
	size_t count;
};

static struct addresses all, of_scene;
static pid_t child;
static bool failed;

static bool add(struct addresses *to, uint64_t at)
{
	size_t i;

	for (i = 0; i < to->count; i++)
		if (to->at[i] == at)
			return false;
	if (to->count < ADDRESSES_MAX)
		to->at[to->count++] = at;
	return true;
}

static uint64_t where(void)
{
	struct user_regs_struct regs;

	ptrace(PTRACE_GETREGS, child, NULL, &regs);
	return regs.rip;
}

static void go_to(uint64_t at)
{
	struct user_regs_struct regs;

	ptrace(PTRACE_GETREGS, child, NULL, &regs);
	regs.rip = at;
	ptrace(PTRACE_SETREGS, child, NULL, &regs);
}

/*
 * Goes on, and waits for the next trap. A signal that was blocked stops the
 * child once more when it comes. False: the child has ended.
 */
static bool go(enum __ptrace_request request, int signal)
{
	int status;

	do {
		if (ptrace(request, child, NULL, (void *)(intptr_t)signal) ||
		    waitpid(child, &status, 0) != child)
			return false;
		signal = SIGUSR1;
	} while (WIFSTOPPED(status) && WSTOPSIG(status) == SIGUSR1);
	if (!WIFSTOPPED(status)) {
		snprintf(step_shared->why, sizeof(step_shared->why),
			 "the child ended, status %#x", (unsigned int)status);
		return false;
	}
	if (WSTOPSIG(status) != SIGTRAP) {
		const struct step_symbol *in = step_symbol_of(where());

		snprintf(step_shared->why, sizeof(step_shared->why),
			 "the child got signal %d in %s", WSTOPSIG(status),
			 in ? in->name : "?");
		return false;
	}
	return true;
}

static bool go_until(enum step_phase phase)
{
	while (step_shared->phase != phase)
		if (step_shared->phase == STEP_WRONG || !go(PTRACE_CONT, 0))
			return false;
	return true;
}

/* The library's objects are linked after ours. */
static bool is_library(uint64_t at)
{
	return at >= step_symbols_end && step_symbol_of(at);
}

static void note(uint64_t at)
{
	add(&of_scene, at);
	if (add(&all, at))
		step_symbol_of(at)->stops++;
}

/*
 * One instruction further. Where the signal waits, since it is blocked, the
 * handler comes later; wherever it comes, it runs to its end.
 */
static bool step(bool signal)
{
	if (!go(PTRACE_SINGLESTEP, signal ? SIGUSR1 : 0))
		return false;
	if (where() != (uint64_t)(uintptr_t)step_handler)
		return true;
	return go_until(STEP_HANDLED);
}

/*
 * From where it is to the round's end, a signal at each address of the library
 * but the first ones. A handler returns to the address that it interrupted.
 */
static bool step_through(uint64_t *steps, uint64_t first)
{
	uint64_t interrupted = 0;

	while (step_shared->phase != STEP_END) {
		const uint64_t at = where();
		bool signal = is_library(at);

		if (signal && at == interrupted) {
			signal = false;
			interrupted = 0;
		} else if (signal) {
			note(at);
			signal = ++*steps > first;
			interrupted = at;
		}
		if (step_shared->phase == STEP_WRONG || !step(signal))
			return false;
	}
	return true;
}

static void start(const struct step_scene *scene,
		  const struct step_variant *variant, bool jump)
{
	int status;

	memset(step_shared, 0, sizeof(*step_shared));
	child = fork();
	if (child == 0) {
		ptrace(PTRACE_TRACEME, 0, NULL, NULL);
		raise(SIGSTOP);
		step_child(scene, variant, jump);
		_exit(0);
	}
	waitpid(child, &status, 0);
}

static void finish(void)
{
	kill(child, SIGKILL);
	while (waitpid(child, NULL, 0) < 0 && errno == EINTR)
		;
}

static void complain(const struct step_scene *scene,
		     const struct step_variant *variant, uint64_t at)
{
	const struct step_symbol *const symbol = step_symbol_of(at);

	failed = true;
	printf("step: %s, handler visits %s, %s+%#lx: %s\n", scene->name,
	       variant->name, symbol ? symbol->name : "throughout",
	       symbol ? (unsigned long)(at - symbol->address) : 0,
	       step_shared->why[0] ? step_shared->why : "it never came there");
}

static uint64_t stepped(const struct step_scene *scene,
			const struct step_variant *variant, uint64_t first)
{
	uint64_t steps = 0;

	start(scene, variant, false);
	if (!go_until(STEP_BEGIN) || !step_through(&steps, first) ||
	    !go_until(STEP_CHECKED))
		complain(scene, variant, where());
	finish();
	return steps;
}

/* The byte at this address becomes a breakpoint; returns the word it is in. */
static long plant(uint64_t at)
{
	const long word = ptrace(PTRACE_PEEKTEXT, child, (void *)at, NULL);

	ptrace(PTRACE_POKETEXT, child, (void *)at,
	       (void *)((word & ~0xffl) | 0xcc));
	return word;
}

/* A round: up to the address, a handler there, to the check. */
static bool interrupt_at(uint64_t at)
{
	long word;

	if (!go_until(STEP_BEGIN))
		return false;
	word = plant(at);
	if (!go(PTRACE_CONT, 0))
		return false;
	ptrace(PTRACE_POKETEXT, child, (void *)at, (void *)word);
	if (where() == at + INT3_SIZE) {
		go_to(at);
		if (!go(PTRACE_CONT, SIGUSR1))
			return false;
	}
	return go_until(STEP_CHECKED);
}

/* One handler in a round, at each of the addresses: it returns, or jumps out. */
static void interrupted(const struct step_scene *scene,
			const struct step_variant *variant, size_t stride,
			bool jump)
{
	size_t i;

	if (!scene->cold)
		start(scene, variant, jump);
	for (i = 0; i < of_scene.count; i += stride) {
		if (scene->cold)
			start(scene, variant, jump);
		if (!interrupt_at(of_scene.at[i])) {
			complain(scene, variant, of_scene.at[i]);
			break;
		}
		step_shared->phase = STEP_NONE;
		if (scene->cold)
			finish();
	}
	if (!scene->cold || i < of_scene.count)
		finish();
}

/* The handler of a thread that is not cold any more ends the first visit. */
static void step_cold(const struct step_scene *scene,
		      const struct step_variant *variant, uint64_t stride)
{
	const uint64_t steps = stepped(scene, variant, UINT64_MAX);
	uint64_t first;

	for (first = 0; first < steps && !failed; first += 1 + steps / stride)
		stepped(scene, variant, first);
}

static void play(const struct step_scene *scene, bool is_long)
{
	const size_t stride = scene->cold && is_long	? COLD_STRIDE
			      : scene->many && !is_long ? SHORT_STRIDE
							: 1;
	const size_t variants =
		scene->cold && !is_long ? 1 : step_variant_count;
	size_t i;

	of_scene.count = 0;
	for (i = 0; i < variants && !failed; i++) {
		if (scene->cold)
			step_cold(scene, &step_variants[i], is_long ? 10 : 2);
		else
			stepped(scene, &step_variants[i], 0);
	}
	for (i = 0; i < variants && !failed; i++)
		interrupted(scene, &step_variants[i], stride, false);
	for (i = 0; i < variants && !failed && !scene->spans; i++)
		interrupted(scene, &step_variants[i], stride, true);
}

static void check_symbols(void)
{
	size_t i;

	for (i = 0; i < sizeof(symbols_needed) / sizeof(*symbols_needed); i++) {
		const struct step_symbol *const symbol =
			step_symbol_named(symbols_needed[i]);

		if (symbol && symbol->stops) {
			printf("step: %5lu stops in %s\n",
			       (unsigned long)symbol->stops, symbol->name);
			continue;
		}
		printf("step: no stop in %s\n", symbols_needed[i]);
		failed = true;
	}
}

int main(void)
{
	const bool is_long = getenv("LONG_TESTS") != NULL;
	cpu_set_t cpu;
	size_t i;

	/* One CPU: a visit that ends on another takes another way. */
	CPU_ZERO(&cpu);
	CPU_SET((size_t)sched_getcpu(), &cpu);
	sched_setaffinity(0, sizeof(cpu), &cpu);
	setvbuf(stdout, NULL, _IOLBF, 0);
	step_shared = mmap(NULL, sizeof(*step_shared), PROT_READ | PROT_WRITE,
			   MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (step_shared == MAP_FAILED || step_symbols_read()) {
		printf("step: this program's symbols cannot be read\n");
		return 1;
	}
	for (i = 0; i < step_scene_count && !failed; i++)
		play(&step_scenes[i], is_long);
	check_symbols();
	printf("step: %zu distinct stop addresses, at least %d wanted\n",
	       all.count, STOPS_MIN);
	return failed || all.count < STOPS_MIN;
}
