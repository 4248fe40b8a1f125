/* SPDX-License-Identifier: MIT */
/*
 * What the compiler is asked for: visibility, inlining, loads and stores that
 * happen exactly once, and the compiler fence. With SELFMON_DISABLE any
 * compiler of C11 or C++11 does, on any system.
 */
#ifndef SELFMON_COMPILER_H
#define SELFMON_COMPILER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if !defined(SELFMON_DISABLE) && (!defined(__GNUC__) || !defined(__linux__))
#error "libselfmon needs Linux and gcc or clang; define SELFMON_DISABLE to compile its regions out"
#define SELFMON_DISABLE /* no errors that follow from the first */
#endif

/*
 * The headers are C: they cast as C does, and a function may share its name with
 * a struct. Compiled off, disabled.h defines what the other headers declare,
 * and uses few of the arguments.
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
 * Exported from libselfmon.so; everything else is hidden. Compiled off, a
 * function of disabled.h: in C one of each file, in C++ one of C++ linkage,
 * whose symbol differs from the library's.
 */
#if defined(SELFMON_DISABLE) && defined(__cplusplus)
#define SELFMON_API
#elif defined(SELFMON_DISABLE)
#define SELFMON_API static
#elif !defined(SELFMON_API)
#define SELFMON_API __attribute__((visibility("default")))
#endif

/*
 * Functions of the headers. Plain inline from C++20 on, where static ones
 * could not be used from an exported inline function of a module.
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
 * One load or store of memory that changes under us: never torn, never
 * repeated, never invented. Relaxed atomics, so that thread sanitizers see
 * what is meant; on every supported CPU a plain instruction. So is volatile,
 * with which the kernel does it (READ_ONCE); gcc has no offset for an atomic
 * on arm64, and computes each address apart.
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
 * Keeps the compiler from moving memory accesses across. Enough against the
 * kernel's page updates and against signal handlers, since both interrupt
 * this hardware thread and interrupts are precise.
 */
#define selfmon_compiler_fence() __atomic_signal_fence(__ATOMIC_SEQ_CST)

#endif /* __GNUC__ */

#endif
