/* SPDX-License-Identifier: MIT */
/*
 * The parent. Runs each scene in three ways:
 *
 * Stepped: the child stops after each instruction. At each instruction of the
 * library it gets a signal. The handler runs at full speed, and checks that it
 * leaves the thread's state unchanged. At the end, the counted visits must be
 * those that were made.
 *
 * Interrupted: there is one round for each address at which the child stopped,
 * with a breakpoint at this address. There the child gets the signal, and its
 * handler returns.
 *
 * Jumped out of: the same, but the handler leaves by siglongjmp(3).
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

#include "form.h"
#include "step.h"

/* Minimum number of distinct stop addresses over all scenes. */
#define STOPS_MIN 1000
#define ADDRESSES_MAX 65536
/*
 * The quick form runs every QUICK_VARIANTS-th handler at every QUICK_STRIDE-th
 * address, except in scenes marked `whole`.
 */
#define QUICK_VARIANTS 7
#define QUICK_STRIDE 7
/*
 * In the full form, a scene marked as `many` is tested at every SHORT_STRIDE-th
 * address. The quick form tests every QUICK_STRIDE-th of these.
 */
#define SHORT_STRIDE 48
/*
 * With events, the full form runs every COUNTERS_VARIANTS-th handler. If the
 * events are read in user space, the full form interrupts at every
 * COUNTERS_STRIDE-th address.
 */
#define COUNTERS_VARIANTS 3
#define COUNTERS_STRIDE 4
/*
 * In the long form, a cold scene is tested at every COLD_STRIDE-th address,
 * because it needs one child for each address.
 */
#define COLD_STRIDE 8
#define INT3_SIZE 1

struct addresses {
	uint64_t at[ADDRESSES_MAX];
	size_t count;
};

static struct addresses all, of_scene;
static pid_t child;
static unsigned int moved_at;
static bool failed, skipped;

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
 * If the child stopped at a read of a counter, completes the read and returns
 * true. At one read of some scenes, the events also move to other counters of
 * the model.
 */
static bool is_answered(void)
{
	if (!stepped_pmu_answer(&step_shared->pmu, child))
		return false;
	if (!step_shared->handling && ++step_shared->reads == moved_at)
		stepped_pmu_move(&step_shared->pmu);
	return true;
}

/*
 * Continues the child and waits for its next trap. A signal that the child
 * blocks stays pending, and stops the child when it is unblocked; it is then
 * passed on. Returns false if the child has ended, or got an unexpected signal.
 */
static bool go(enum __ptrace_request request, int signal)
{
	int status;

	for (;;) {
		if (ptrace(request, child, NULL, (void *)(intptr_t)signal) ||
		    waitpid(child, &status, 0) != child)
			return false;
		if (!WIFSTOPPED(status))
			break;
		signal = 0;
		if (WSTOPSIG(status) == SIGUSR1)
			signal = SIGUSR1;
		else if (WSTOPSIG(status) != SIGSEGV || !is_answered())
			break;
		else if (request == PTRACE_SINGLESTEP)
			return true;
	}
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

/* The linker places the objects of the library after those of the test. */
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
 * Executes one instruction. If the signal is blocked, the handler runs later.
 * The handler always runs to its end.
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
 * Steps to the end of the round, with a signal at each instruction of the
 * library except the first `first` ones. A handler returns to the address that
 * it interrupted, which gets no second signal.
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
	moved_at = scene->moved_at;
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

	if (step_shared->cannot) {
		printf("step: SKIPPED %s: %s\n", scene->name, step_shared->why);
		skipped = true;
		return;
	}
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

/* Sets a breakpoint at this address; returns the word that it replaces. */
static long plant(uint64_t at)
{
	const long word = ptrace(PTRACE_PEEKTEXT, child, (void *)at, NULL);

	ptrace(PTRACE_POKETEXT, child, (void *)at,
	       (void *)((word & ~0xffl) | 0xcc));
	return word;
}

/*
 * Runs one round: the child up to the address, then a handler, then the check.
 */
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

/*
 * Runs one handler per round, at each of the addresses: the handler returns, or
 * jumps out.
 */
static void interrupted(const struct step_scene *scene,
			const struct step_variant *variant, size_t stride,
			bool jump)
{
	/*
	 * With a stride, handlers begin at different addresses, so together
	 * they interrupt more of them.
	 */
	size_t i =
		(size_t)(variant - step_variants) / COUNTERS_VARIANTS % stride;

	if (!scene->cold)
		start(scene, variant, jump);
	for (; i < of_scene.count; i += stride) {
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

/*
 * A cold scene steps through the first visit of a thread. After its first
 * handler the thread has made a visit. So each run begins with signals at a
 * later instruction.
 */
static void step_cold(const struct step_scene *scene,
		      const struct step_variant *variant, uint64_t stride)
{
	const uint64_t steps = stepped(scene, variant, UINT64_MAX);
	uint64_t first;

	for (first = 0; first < steps && !failed; first += 1 + steps / stride)
		stepped(scene, variant, first);
}

static size_t stride_of(const struct step_scene *scene, bool is_long)
{
	int stride;

	if (is_long)
		return scene->cold ? COLD_STRIDE : 1;
	stride = scene->many ? SHORT_STRIDE :
		 scene->counters == STEP_USER ? COUNTERS_STRIDE : 1;
	return (size_t)by_form(scene->whole ? stride : stride * QUICK_STRIDE,
			       stride, 1);
}

/*
 * Returns true if the scene is to be run with this handler. A handler that
 * moves events to other counters needs a scene that reads counters in user
 * space. A scene with events has many more stops than one with time alone. So
 * the full form runs only a third of the handlers in it, and another third in
 * the next scene.
 */
static bool fits(const struct step_scene *scene,
		 const struct step_variant *variant, bool is_long)
{
	const int full = scene->counters == STEP_TIME ? 1 : COUNTERS_VARIANTS;
	const int stride = by_form(scene->whole ? full : QUICK_VARIANTS, full, 1);

#ifdef SELFMON_IMPL_INLINED
	/* Visits with counters are not inlined. */
	if (scene->counters != STEP_TIME)
		return false;
#endif
	if (scene->cold && !is_long)
		return variant == step_variants;
	if (scene->counters != STEP_USER && variant->moves)
		return false;
	return (scene - step_scenes + (variant - step_variants)) % stride == 0;
}

static void play(const struct step_scene *scene, bool is_long)
{
	const struct step_variant *variant[STEP_VARIANTS_MAX];
	const size_t stride = stride_of(scene, is_long);
	size_t count = 0, i;

	for (i = 0; i < step_variant_count; i++)
		if (fits(scene, &step_variants[i], is_long))
			variant[count++] = &step_variants[i];
	of_scene.count = 0;
	for (i = 0; i < count && !failed; i++) {
		if (scene->cold)
			step_cold(scene, variant[i], is_long ? 10 : 2);
		else if (!variant[i]->moves)
			stepped(scene, variant[i], 0);
	}
	for (i = 0; i < count && !failed; i++)
		interrupted(scene, variant[i], stride, false);
	for (i = 0; i < count && !failed && !scene->spans; i++)
		interrupted(scene, variant[i], stride, true);
}

int main(void)
{
	const bool is_long = by_form(false, false, true);
	cpu_set_t cpu;
	size_t i;

	/*
	 * One CPU, because a visit that ends on another CPU takes another path.
	 */
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
	if (!step_symbols_check(!skipped))
		failed = true;
	printf("step: %zu distinct stop addresses, at least %d wanted\n",
	       all.count, STOPS_MIN);
	return failed || all.count < STOPS_MIN;
}
