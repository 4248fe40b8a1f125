/* SPDX-License-Identifier: MIT */
/*
 * Tests the attribution of samples with a ring that the test itself fills. A
 * trap stops the thread after each instruction of its visits. At a stop the
 * test writes a sample as the kernel would, or reads samples as another thread
 * would. Each sample must belong to the visit that was open at its instruction.
 */
#define _GNU_SOURCE
#include <criterion/criterion.h>
#include <linux/perf_event.h>
#include <setjmp.h>
#include <signal.h>
#include <string.h>
#include <ucontext.h>

#include "form.h"
#include "rows.h"
#include "sanitizer.h"
#include "session/thread_ring.h"
#include "store/process.h"
#include "store/self.h"

/* ---- the ring ------------------------------------------------------------ */

#define RING 4096u
/*
 * Position in the ring at the start. Visits store the low 32 bits of the
 * position, which wrap during the test.
 */
#define START ((UINT64_C(1) << 32) - 1000)

static struct perf_event_mmap_page page;
static char data[RING];
static struct selfmon_thread_ring ring;
static uint64_t written, dropped; /* dropped: not yet reported as lost */

struct sample {
	struct perf_event_header header;
	uint64_t address, depth, context, caller;
};

struct lost {
	struct perf_event_header header;
	uint64_t id, lost;
};

/* As in the kernel, a ring is never filled to its last byte. */
static bool has_room(uint64_t size)
{
	return ((page.data_tail - page.data_head - 1) & (RING - 1)) >= size;
}

static void append(const void *record, size_t size)
{
	size_t i;

	for (i = 0; i < size; i++)
		data[(page.data_head + i) % RING] = ((const char *)record)[i];
	__atomic_store_n(&page.data_head, page.data_head + size,
			 __ATOMIC_RELEASE);
}

/*
 * Writes a sample like perf_output_begin() of kernel/events/ring_buffer.c. A
 * full ring drops the sample. Before the next sample that fits, a
 * PERF_RECORD_LOST has the number of dropped samples.
 */
static void write_sample(uint64_t address)
{
	const struct sample sample = {
		.header = { .type = PERF_RECORD_SAMPLE,
			    .misc = PERF_RECORD_MISC_USER,
			    .size = sizeof(sample) },
		.address = address,
		.depth = 2,
		.context = (uint64_t)PERF_CONTEXT_USER,
		.caller = address,
	};
	struct lost lost = {
		.header = { .type = PERF_RECORD_LOST, .size = sizeof(lost) },
		.lost = dropped,
	};

	written++;
	if (!has_room(sizeof(sample) + (dropped ? sizeof(lost) : 0))) {
		dropped++;
		return;
	}
	if (dropped)
		append(&lost, sizeof(lost));
	dropped = 0;
	append(&sample, sizeof(sample));
}

static void attach_ring(void)
{
	struct selfmon_thread *const thread = selfmon_thread_self();

	ring.ring.page = &page;
	ring.ring.data = data;
	ring.ring.size = RING;
	ring.ring.tail = START;
	page.data_head = page.data_tail = START;
	ring.samples.on = true;
	selfmon_process()->sampling.chain = 1;
	thread->ring = &ring;
	thread->cpu = selfmon_ring_head_word(&ring.ring);
}

static void detach_ring(void)
{
	static const uint32_t cpu = 0;

	selfmon_thread_self()->cpu = &cpu;
	selfmon_thread_self()->ring = NULL;
}

/* ---- scenes -------------------------------------------------------------- */

/* Places in the call tree. They are bits, so a set of places is one number. */
enum { OUT = 1, A = 2, B = 4, A_IN_B = 8, B_IN_A = 16, AFTER_IN_B = 32 };

/*
 * The places to which a sample that is taken now may be attributed. While a
 * visit begins or ends, there are several.
 */
static volatile uint64_t now = OUT;
static struct selfmon_region *a, *b, *after;

static __attribute__((noinline)) void work(void)
{
	for (volatile int i = 0; i < 3; i++)
		;
}

static void nested(void)
{
	now = OUT | A;
	SELFMON_REGION_OF(a)
	{
		now = A;
		work();
		now = A | B_IN_A;
		SELFMON_REGION_OF(b)
		{
			now = B_IN_A;
			work();
			now = A | B_IN_A;
		}
		now = A;
		work();
		now = A | B_IN_A;
		SELFMON_REGION_OF(b)
		{
			now = A | B_IN_A;
		}
		now = A | OUT;
	}
	now = OUT;
}

static void spans_out_of_order(void)
{
	struct selfmon_frame outer, inner;

	now = OUT | A;
	selfmon_enter(a, &outer);
	now = A | B_IN_A;
	selfmon_enter(b, &inner);
	now = B_IN_A;
	work();
	now = B_IN_A | A | B; /* a's entry moves above b's, then a ends */
	selfmon_leave(&outer);
	now = B; /* the visit of b is still open, but no longer inside of a */
	work();
	now = B | OUT;
	selfmon_leave(&inner);
	now = OUT;
}

static jmp_buf out;

static __attribute__((noinline)) void jump(void)
{
	now = B | A_IN_B;
	SELFMON_REGION_OF(a)
	{
		now = A_IN_B;
		work();
		longjmp(out, 1);
	}
}

/* The visit that the jump leaves ends when the next visit begins. */
static void jumped(void)
{
	now = OUT | B;
	SELFMON_REGION_OF(b)
	{
		now = B;
		if (!setjmp(out))
			jump();
		now = A_IN_B | B | AFTER_IN_B;
		SELFMON_REGION_OF(after)
		{
			now = AFTER_IN_B | B;
		}
		now = B;
		work();
		now = B | OUT;
	}
	now = OUT;
}

/* ---- results ------------------------------------------------------------- */

/* The nodes of the places, in the order of their bits. */
#define PLACES 6
static struct selfmon_node *node[PLACES];

static struct selfmon_node *innermost(void)
{
	return selfmon_thread_self()->top->node;
}

static void find_nodes(void)
{
	SELFMON_REGION_OF(a)
	{
		node[0] = selfmon_thread_self()->root;
		node[1] = innermost();
		SELFMON_REGION_OF(b)
		{
			node[4] = innermost();
		}
	}
	SELFMON_REGION_OF(b)
	{
		node[2] = innermost();
		SELFMON_REGION_OF(a)
		{
			node[3] = innermost();
		}
		SELFMON_REGION_OF(after)
		{
			node[5] = innermost();
		}
	}
}

struct found {
	uint64_t samples;
	/*
	 * Place of the first wrongly attributed sample, or 0; its allowed
	 * places.
	 */
	uint64_t place, allowed;
};

/* The address of a sample is the set of places that are allowed for it. */
static int check_entry(void *context, const struct selfmon_stack_entry *entry)
{
	struct found *const found = context;
	size_t i;

	found->samples += entry->count;
	for (i = 0; i < PLACES; i++)
		if (entry->key.ordinal == node[i]->ordinal)
			break;
	if (!found->place && !(entry->address[0] >> i & 1)) {
		found->place = 1u << i;
		found->allowed = entry->address[0];
	}
	return 0;
}

static uint64_t samples_of_all_places(void)
{
	struct selfmon_ring_sums sums;
	uint64_t n = 0;
	size_t i;

	for (i = 0; i < PLACES; i++) {
		memset(&sums, 0, sizeof(sums));
		selfmon_ring_sums_read(selfmon_thread_self(), node[i]->ordinal,
				       &sums);
		n += sums.samples;
	}
	return n;
}

/* Expects that each sample so far is attributed to a place allowed for it. */
static void check(const char *where, uint64_t step, uint64_t read_at)
{
	struct found found = { .samples = 0 };

	selfmon_thread_ring_read(selfmon_thread_self(), UINT64_MAX);
	cr_assert_eq(
		selfmon_stacks_read(&ring.samples.stacks, check_entry, &found),
		0);
	cr_assert_eq(found.place, 0,
		     "%s: the sample at step %lu, read at %lu, is in place "
		     "%#lx, not in one of %#lx",
		     where, (unsigned long)step, (unsigned long)read_at,
		     (unsigned long)found.place, (unsigned long)found.allowed);
	cr_assert_eq(found.samples + ring.samples.lost + dropped, written);
	cr_assert_eq(samples_of_all_places() + dropped, written);
}

/* ---- steps --------------------------------------------------------------- */

#define NEVER UINT64_MAX
#define TRAP_FLAG 0x100

static struct run {
	uint64_t steps;
	uint64_t sample_at, read_at; /* number of a step, or NEVER */
	/* Sample at each step; while samples are read, at each 97th step. */
	bool often;
	void (*act)(void); /* called at read_at, instead of a read */
	volatile bool done;
} run;

static bool is_read_now(void)
{
	if (pthread_mutex_trylock(&ring.lock))
		return true;
	pthread_mutex_unlock(&ring.lock);
	return false;
}

static bool is_due(uint64_t step)
{
	return step % 97 == 0 || !is_read_now();
}

/*
 * Returns false if the thread holds the ring's lock: another thread would have
 * to wait.
 */
static bool read_as_another_thread(void)
{
	if (is_read_now())
		return false;
	selfmon_thread_ring_read_other(selfmon_thread_self());
	return true;
}

static void set_trap_flag(ucontext_t *context, bool on)
{
#if defined(__x86_64__)
	greg_t *const flags = &context->uc_mcontext.gregs[REG_EFL];

	*flags = on ? *flags | TRAP_FLAG : *flags & ~TRAP_FLAG;
#else
	(void)context;
	(void)on;
#endif
}

/*
 * Runs after each instruction. Clears the trap flag when the run is done, or
 * when its sample has been written and no read is due.
 */
static void on_step(int signal, siginfo_t *info, void *context)
{
	const uint64_t step = run.steps++;

	(void)signal;
	(void)info;
	if (run.done || (!run.often && run.sample_at != NEVER &&
			 step > run.sample_at && run.read_at == NEVER)) {
		set_trap_flag(context, false);
		return;
	}
	set_trap_flag(context, true);
	if (step == run.sample_at || (run.often && is_due(step)))
		write_sample(now);
	if (step < run.read_at)
		return;
	if (run.act)
		run.act();
	else if (!read_as_another_thread())
		return;
	run.read_at = NEVER;
}

static uint64_t play(void (*scene)(void))
{
	run.steps = 0;
	run.done = false;
	raise(SIGTRAP); /* the handler sets the trap flag */
	scene();
	run.done = true;
	return run.steps;
}

/*
 * A stepped visit takes longer than all earlier visits, so leave would take the
 * path of a longest visit. Sets the longest visit of every node to a long time,
 * so that leave takes its usual path.
 */
static void make_usual(void)
{
	struct selfmon_node *at = selfmon_thread_self()->root;

	for (; at; at = at->next) {
		at->stats->unusual = SELFMON_TICKS_LONG;
		at->stats->ticks.max = SELFMON_TICKS_LONG;
	}
}

static void setup(void)
{
	struct sigaction action = { .sa_sigaction = on_step,
				    .sa_flags = SA_SIGINFO };
	struct selfmon_options options = SELFMON_OPTIONS_INIT;

#if !defined(__x86_64__)
	cr_skip_test("stepped on x86-64 alone");
#endif
	SKIP_IF_SANITIZED("it makes too many steps of one");
	options.events = "none";
	options.output = NULL;
	cr_assert_eq(selfmon_configure(&options), 0);
	a = selfmon_region("a");
	b = selfmon_region("b");
	after = selfmon_region("after");
	find_nodes();
	nested();
	spans_out_of_order();
	jumped();
	make_usual();
	attach_ring();
	cr_assert_eq(sigaction(SIGTRAP, &action, NULL), 0);
}

TestSuite(samples_step, .init = setup, .fini = detach_ring, .timeout = 900);

static const struct {
	const char *name;
	void (*play)(void);
} scene[] = {
	{ "nested", nested },
	{ "spans out of order", spans_out_of_order },
	{ "jumped", jumped },
};

#define SCENES (sizeof(scene) / sizeof(scene[0]))

/* Returns the distance between tested steps in this form of the tests. */
static uint64_t stride(uint64_t steps, int quick, int full)
{
	return 1 + steps / (uint64_t)by_form(quick, full, INT32_MAX);
}

/* Returns the number of steps of a scene without samples. */
static uint64_t steps_of(void (*what)(void))
{
	run = (struct run){ .sample_at = NEVER, .read_at = NEVER };
	return play(what);
}

Test(samples_step, at_each_instruction_belong_to_the_visit_that_is_open)
{
	uint64_t steps, at;
	size_t i;

	for (i = 0; i < SCENES; i++) {
		steps = steps_of(scene[i].play);
		cr_log_info("%s: %lu instructions", scene[i].name,
			    (unsigned long)steps);
		for (at = 0; at < steps; at += stride(steps, 31, 199)) {
			run.sample_at = at;
			play(scene[i].play);
			check(scene[i].name, at, NEVER);
		}
		cr_assert_gt(steps, 150);
	}
}

/*
 * Writes a sample, and reads it 0 to 1000 steps later, at step `at`, as another
 * thread would. The sampled thread itself may be about to read the sample.
 */
static void sample_and_read(const char *name, void (*what)(void), uint64_t at)
{
	static const uint64_t later[] = { 0, 1, 5, 20, 60, 300, 1000 };
	size_t i;

	for (i = 0; i < sizeof(later) / sizeof(later[0]); i++) {
		run.sample_at = at < later[i] ? 0 : at - later[i];
		run.read_at = at;
		play(what);
		check(name, run.sample_at, at);
	}
}

Test(samples_step, belong_to_it_if_another_thread_reads_them_at_any_instruction)
{
	const uint64_t steps = steps_of(nested);
	uint64_t at;
	size_t i;

	for (at = 0; at < steps; at += (uint64_t)by_form(17, 3, 1))
		sample_and_read("nested", nested, at);
	cr_assert_gt(written, 100);
	for (i = 1; i < SCENES; i++) {
		/* A run with a read takes more steps than the scene alone. */
		const uint64_t longer = 2 * steps_of(scene[i].play);

		for (at = 0; at < longer; at += stride(longer, 7, 29))
			sample_and_read(scene[i].name, scene[i].play, at);
	}
}

/* Writes more samples than the ring holds, some of them while it is read. */
Test(samples_step, are_all_counted_by_a_ring_that_fills)
{
	const size_t scenes = (size_t)by_form(1, SCENES, SCENES);
	uint64_t steps = 0;
	size_t i;

	for (i = 0; i < scenes; i++) {
		run = (struct run){ .read_at = NEVER, .often = true };
		steps += play(scene[i].play);
		check(scene[i].name, 0, NEVER);
		/* Dropped samples are reported only with the next record. */
		write_sample(OUT);
		check(scene[i].name, 0, NEVER);
		cr_assert_eq(dropped, 0);
	}
	cr_log_info("%lu samples at %lu instructions, %lu of them lost",
		    (unsigned long)written, (unsigned long)steps,
		    (unsigned long)ring.samples.lost);
	cr_assert_gt(ring.samples.lost, 100);
	cr_assert_gt(written, ring.samples.lost + 100);
}

/* ---- a reader that is stepped -------------------------------------------- */

static struct selfmon_frame newer;

/*
 * Ends the visit that began after the sample, and begins another one instead.
 */
static void renew(void)
{
	selfmon_leave(&newer);
	SELFMON_REGION_OF(after);
	selfmon_enter(b, &newer);
}

static void read_while_visits_end(void)
{
	selfmon_thread_ring_read_other(selfmon_thread_self());
}

Test(samples_step, are_read_by_another_thread_while_newer_visits_end)
{
	uint64_t at, taken = NEVER;

	for (at = 1; at < taken; at += (uint64_t)by_form(17, 3, 1)) {
		SELFMON_REGION_OF(a)
		{
			write_sample(A);
			selfmon_enter(b, &newer);
			run = (struct run){ .sample_at = NEVER,
					    .read_at = at,
					    .act = renew };
			taken = play(read_while_visits_end);
			selfmon_leave(&newer);
		}
		check("read", 0, at);
	}
	cr_log_info("%lu instructions", (unsigned long)taken);
	cr_assert_gt(taken, 150);
	cr_assert_eq(ring.samples.lost, 0);
}
