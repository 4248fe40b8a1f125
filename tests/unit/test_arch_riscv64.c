/* SPDX-License-Identifier: MIT */
/*
 * Executes each entry of riscv64's table of counter readers. While no event is
 * mapped, the read faults, and the handler decodes the CSR number of the
 * faulting instruction.
 */
#if defined(__riscv) && __riscv_xlen == 64

#define _GNU_SOURCE
#include <criterion/criterion.h>
#include <signal.h>
#include <ucontext.h>

#include <selfmon/page.h>

#define CSRR 0x2073u /* CSRRS rd, csr, x0: the CSR is in bits 31 to 20 */
#define CSRR_MASK 0xff07fu

static volatile uint32_t seen; /* the CSR's number */
static volatile unsigned int faults;

static void look(int signal, siginfo_t *info, void *context)
{
	mcontext_t *const cpu = &((ucontext_t *)context)->uc_mcontext;
	const uint16_t *const at = (const uint16_t *)cpu->__gregs[REG_PC];
	const uint32_t insn = at[0] | (uint32_t)at[1] << 16;

	(void)signal;
	(void)info;
	seen = (insn & CSRR_MASK) == CSRR ? insn >> 20 : 0;
	faults++;
	cpu->__gregs[insn >> 7 & 31] = UINT64_C(0x1234567890) + seen;
	cpu->__gregs[REG_PC] += 4;
}

static void look_at_faults(void)
{
	struct sigaction action = { .sa_sigaction = look,
				    .sa_flags = SA_SIGINFO };

	sigaction(SIGILL, &action, NULL);
	selfmon_arch_read_counter(3, NULL);
	if (faults == 0)
		cr_skip_test("this machine lets anyone read counters");
	faults = 0;
}

Test(arch_riscv64, entry_i_reads_csr_i)
{
	uint32_t i;

	look_at_faults();
	for (i = 0; i < SELFMON_ARCH_COUNTERS; i++) {
		uint64_t raw;

		if (i == SELFMON_ARCH_COUNTERS_HOLE)
			continue;
		seen = 0;
		raw = selfmon_arch_read_counter(i, NULL);
		if (seen == 0 && (i == 0 || i == 2))
			continue; /* an emulator may permit the read */
		cr_assert_eq(seen, 0xc00 + i, "entry %u", i);
		cr_assert_eq(raw, UINT64_C(0x1234567890) + seen);
	}
}

Test(arch_riscv64, an_index_without_a_csr_reads_none)
{
	static const uint32_t index[] = { 0, 2, 33, 34, 64, UINT32_MAX };
	struct selfmon_page page = { .capabilities = 0x3e, .pmc_width = 64 };
	uint32_t moved = 0;
	uint64_t value;
	size_t i;

	look_at_faults();
	for (i = 0; i < sizeof(index) / sizeof(index[0]); i++) {
		page.index = index[i];
		cr_assert_not(selfmon_page_read(&page, 0, &value, &moved));
	}
	cr_assert_eq(faults, 0);
	page.index = 32;
	cr_assert(selfmon_page_read(&page, 0, &value, &moved));
	cr_assert_eq(seen, 0xc1f);
}

#else
typedef int selfmon_no_riscv64; /* a file must contain a declaration */
#endif
