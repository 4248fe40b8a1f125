/* SPDX-License-Identifier: MIT */
/*
 * Compiler support: visibility, inlining, loads and stores that happen exactly
 * once, and the compiler fence. With SELFMON_DISABLE any C11 or C++11 compiler
 * on any system is sufficient.
 */
#ifndef SELFMON_COMPILER_H
#define SELFMON_COMPILER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if !defined(SELFMON_DISABLE) && (!defined(__GNUC__) || !defined(__linux__))
#error "libselfmon needs Linux and gcc or clang; define SELFMON_DISABLE to compile its regions out"
#define SELFMON_DISABLE /* suppresses follow-up errors */
#endif

/*
 * Disables warnings that the headers would cause: they are C with C casts, a
 * function may have the name of a struct, and the functions in disabled.h have
 * unused arguments.
 */
#if !defined(__GNUC__) && !defined(__clang__)
#define SELFMON_IMPL_QUIET
#define SELFMON_IMPL_LOUD
#elif defined(__cplusplus)
#define SELFMON_IMPL_QUIET                                                     \
	_Pragma("GCC diagnostic push")                                         \
	_Pragma("GCC diagnostic ignored \"-Wshadow\"")                         \
	_Pragma("GCC diagnostic ignored \"-Wold-style-cast\"")                 \
	_Pragma("GCC diagnostic ignored \"-Wzero-as-null-pointer-constant\"")  \
	_Pragma("GCC diagnostic ignored \"-Wunused-parameter\"")
#define SELFMON_IMPL_LOUD _Pragma("GCC diagnostic pop")
#else
#define SELFMON_IMPL_QUIET                                                     \
	_Pragma("GCC diagnostic push")                                         \
	_Pragma("GCC diagnostic ignored \"-Wunused-parameter\"")
#define SELFMON_IMPL_LOUD _Pragma("GCC diagnostic pop")
#endif

#ifdef SELFMON_DISABLE
#define SELFMON_C_BEGIN SELFMON_IMPL_QUIET
#define SELFMON_C_END SELFMON_IMPL_LOUD
#elif defined(__cplusplus)
#define SELFMON_C_BEGIN SELFMON_IMPL_QUIET extern "C" {
#define SELFMON_C_END } SELFMON_IMPL_LOUD
#else
#define SELFMON_C_BEGIN
#define SELFMON_C_END
#endif

/*
 * Marks functions that libselfmon.so exports; all other symbols are hidden.
 * With SELFMON_DISABLE the functions are defined in disabled.h: static in C,
 * and with C++ linkage in C++. Their symbols then differ from the library's.
 */
#if defined(SELFMON_DISABLE) && defined(__cplusplus)
#define SELFMON_API
#elif defined(SELFMON_DISABLE)
#define SELFMON_API static
#elif !defined(SELFMON_API)
#define SELFMON_API __attribute__((visibility("default")))
#endif

/*
 * For functions defined in headers. In C++20 and later, and in any C++ with
 * SELFMON_DISABLE, they are inline and not static: an exported inline function
 * of a C++ module cannot use static functions.
 */
#if defined(__cplusplus) &&                                                    \
	(__cplusplus >= 202002L || defined(SELFMON_DISABLE))
#define SELFMON_INLINE inline
#else
#define SELFMON_INLINE static inline
#endif

#ifdef __GNUC__

#define SELFMON_ALWAYS_INLINE SELFMON_INLINE __attribute__((always_inline))
#define SELFMON_UNUSED __attribute__((unused))

#define selfmon_likely(x) __builtin_expect(!!(x), 1)
#define selfmon_unlikely(x) __builtin_expect(!!(x), 0)

/*
 * A single load or store of memory that other code may change at the same time.
 * The compiler does not tear, repeat or invent the access. With clang and
 * ThreadSanitizer the macros are relaxed atomics, which are plain instructions
 * on every supported CPU. With gcc the macros use volatile, like the kernel's
 * READ_ONCE: for an atomic on arm64, gcc computes each address in an extra
 * instruction, instead of using an offset. Without __LP64__ a volatile access
 * to 64 bits might be two instructions, so gcc uses atomics there too.
 */
#if defined(__LP64__) && !defined(__clang__) && \
	!defined(__SANITIZE_THREAD__)
#define selfmon_load_once(p) (*(const volatile __typeof__(*(p)) *)(p))
#define selfmon_store_once(p, v) \
	((void)(*(volatile __typeof__(*(p)) *)(p) = (v)))
#else
#define selfmon_load_once(p) __atomic_load_n((p), __ATOMIC_RELAXED)
#define selfmon_store_once(p, v) __atomic_store_n((p), (v), __ATOMIC_RELAXED)
#endif

/*
 * Like selfmon_load_once(), for a word that is used in one comparison only. If
 * the load is neither volatile nor atomic, compilers compare with the word in
 * memory, which saves an instruction.
 */
#ifdef __SANITIZE_THREAD__
#define selfmon_load_operand(p) selfmon_load_once(p)
#elif defined(__clang__) && defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define selfmon_load_operand(p) selfmon_load_once(p)
#endif
#endif
#ifndef selfmon_load_operand
#define selfmon_load_operand(p) (*(p))
#endif

/*
 * Prevents the compiler from moving memory accesses across it. Neither the
 * kernel's updates of pages nor signal handlers need a CPU fence: both
 * interrupt this hardware thread, and interrupts are precise.
 */
#define selfmon_compiler_fence() __atomic_signal_fence(__ATOMIC_SEQ_CST)

#endif /* __GNUC__ */

#endif
