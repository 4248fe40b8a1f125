/* SPDX-License-Identifier: MIT */
/*
 * SANITIZED: is this built with a sanitizer that stands in for the allocator?
 * SANITIZED_THREADS: with the one that looks for races?
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
