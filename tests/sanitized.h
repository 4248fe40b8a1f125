/* SPDX-License-Identifier: MIT */
/*
 * SANITIZED: true if built with a sanitizer that replaces the allocator.
 * SANITIZED_THREADS: true if built with ThreadSanitizer.
 */
#ifndef SELFMON_TESTS_SANITIZED_H
#define SELFMON_TESTS_SANITIZED_H

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZED 1
#endif
#if __has_feature(thread_sanitizer)
#define SANITIZED_THREADS 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#endif
#ifdef __SANITIZE_THREAD__
#define SANITIZED_THREADS 1
#endif
#ifndef SANITIZED
#define SANITIZED 0
#endif
#ifndef SANITIZED_THREADS
#define SANITIZED_THREADS 0
#endif

#endif
