/* SPDX-License-Identifier: MIT */
/*
 * Prints the address of a function of this program, without the offset at
 * which the program is loaded.
 * tests/tools/spoiled.py replaces the names of the function and of its file by
 * other bytes, in the compiled program.
 */
#include <stdint.h>
#include <stdio.h>

extern const char __executable_start[];

int a_function_of_any_name_for_spoiled_py(int n);

#line 7 "a_file_of_any_name_for_spoiled_py.c"
__attribute__((noinline)) int a_function_of_any_name_for_spoiled_py(int n)
{
	return n + 1;
}

int main(int argc, char **argv)
{
	uintptr_t at = (uintptr_t)a_function_of_any_name_for_spoiled_py;

	(void)argv;
#ifdef __PIE__
	at -= (uintptr_t)__executable_start;
#endif
	printf("%llu\n", (unsigned long long)at);
	return a_function_of_any_name_for_spoiled_py(argc) > 100;
}
