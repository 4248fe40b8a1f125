/* SPDX-License-Identifier: MIT */
/*
 * Inspects the faulting instruction, and the mark after it, which names the
 * register that holds the set (see include/selfmon/arch/).
 *
 * Reads code only where the CPU has just fetched an instruction: after a jump
 * to an invalid address, this read would fault too.
 */
#define _GNU_SOURCE
#include "platform/fault_step.h"

#include <string.h>
#include <ucontext.h>

#include <selfmon/arch.h>

#if defined(__x86_64__)

/* Maps register numbers in instructions to indexes of gregs. */
static const int place_of[16] = {
	REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP, REG_RSI, REG_RDI,
	REG_R8,	 REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15,
};

/*
 * The mark is nopl MARK(register): REX.B for the upper eight registers, SIB for
 * rsp and r12.
 */
static bool find_mark(const unsigned char *code, unsigned int *number)
{
	int32_t mark;

	*number = 0;
	if (*code == 0x41) {
		*number = 8;
		code++;
	}
	if (code[0] != 0x0f || code[1] != 0x1f || (code[2] & 0xf8) != 0x80)
		return false;
	*number += code[2] & 7;
	code += 3;
	if (*number % 8 == 4 && *code++ != 0x24)
		return false;
	memcpy(&mark, code, sizeof(mark));
	return mark == SELFMON_ARCH_GUARD_MARK;
}

bool selfmon_fault_step(const siginfo_t *info, void *context, void **set)
{
	greg_t *const reg = ((ucontext_t *)context)->uc_mcontext.gregs;
	const unsigned char *code = (const unsigned char *)reg[REG_RIP];
	unsigned int number;

	/*
	 * Accepts only a general protection fault of an instruction that could
	 * be fetched. A jump to a non-canonical address raises such a fault
	 * too, and then the code must not be read.
	 */
	if (info->si_code != SI_KERNEL || reg[REG_RIP] >> 47)
		return false;
	if (code[0] != 0x0f || code[1] != 0x33 || !find_mark(code + 2, &number))
		return false;
	*set = (void *)reg[place_of[number]];
	if (!*set)
		return false;
	reg[REG_RAX] = 0;
	reg[REG_RDX] = 0;
	reg[REG_RIP] += 2;
	return true;
}

#elif defined(__aarch64__)

/*
 * Counter reads: mrs xN, pmevcntrM_el0 (op0 3, op1 3, CRn 14, CRm 8 to 11);
 * is_cycles() recognises mrs xN, pmccntr_el0.
 */
static bool is_read(uint32_t code)
{
	return (code & 0xfffff000) == 0xd53be000 && (code & 0x0c00) == 0x0800;
}

static bool is_cycles(uint32_t code)
{
	return (code & 0xffffffe0) == 0xd53b9d00;
}

/*
 * Returns the target of the branch (B) after the counter read, which is the
 * address of the mark. Returns NULL if the instruction is not B.
 */
static const uint32_t *target(const uint32_t *code)
{
	const int32_t words = (int32_t)(*code << 6) >> 6;

	return *code >> 26 == 5 ? code + words : NULL;
}

bool selfmon_fault_step(const siginfo_t *info, void *context, void **set)
{
	mcontext_t *const machine = &((ucontext_t *)context)->uc_mcontext;
	const uint32_t *const code = (const uint32_t *)machine->pc;
	const uint32_t *mark;
	uint32_t number;

	if (info->si_code <= 0 || machine->pc & 3)
		return false;
	if (!is_read(*code) && !is_cycles(*code))
		return false;
	mark = target(code + 1);
	if (!mark || (*mark & 0xfffffc1f) != SELFMON_ARCH_GUARD_MARK)
		return false;
	number = *mark >> 5 & 31;
	*set = number < 31 ? (void *)machine->regs[number] : NULL;
	if (!*set)
		return false;
	if ((*code & 31) < 31)
		machine->regs[*code & 31] = 0;
	machine->pc += 4;
	return true;
}

#elif defined(__riscv)

/* Counter reads: csrrs xN, 0xc00 to 0xc1f, x0. */
static bool is_read(uint32_t code)
{
	return (code & 0xfe0ff07f) == 0xc0002073;
}

/*
 * Returns the target of the jump (JAL x0) after the counter read, which is the
 * address of the mark. Returns NULL if the instruction is not JAL x0.
 */
static const char *target(const char *code)
{
	uint32_t jump;
	int32_t far;

	memcpy(&jump, code, sizeof(jump));
	if ((jump & 0xfff) != 0x6f)
		return NULL;
	far = (int32_t)(jump & 0x80000000) >> 11;
	far |= (int32_t)(jump & 0x000ff000);
	far |= (int32_t)((jump >> 20 & 1) << 11);
	far |= (int32_t)((jump >> 21 & 0x3ff) << 1);
	return code + far;
}

bool selfmon_fault_step(const siginfo_t *info, void *context, void **set)
{
	unsigned long *const reg = ((ucontext_t *)context)->uc_mcontext.__gregs;
	const char *const code = (const char *)reg[REG_PC];
	const char *behind;
	uint32_t read, mark;

	if (info->si_code <= 0 || reg[REG_PC] & 1)
		return false;
	/*
	 * An instruction has at least two bytes. The low bits of its first byte
	 * show whether it has four.
	 */
	if ((*code & 3) != 3)
		return false;
	memcpy(&read, code, sizeof(read));
	behind = is_read(read) ? target(code + 4) : NULL;
	if (!behind)
		return false;
	memcpy(&mark, behind, sizeof(mark));
	if ((mark & 0xfff07fff) != SELFMON_ARCH_GUARD_MARK)
		return false;
	/*
	 * reg[0] is the pc, since x0 is always 0 and has no place in the
	 * context.
	 */
	*set = mark >> 15 & 31 ? (void *)reg[mark >> 15 & 31] : NULL;
	if (!*set)
		return false;
	if (read >> 7 & 31)
		reg[read >> 7 & 31] = 0;
	reg[REG_PC] += 4;
	return true;
}

#else

bool selfmon_fault_step(const siginfo_t *info, void *context, void **set)
{
	(void)info;
	(void)context;
	(void)set;
	return false;
}

#endif
