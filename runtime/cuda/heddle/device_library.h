// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The few library calls that device code may make: printf, assert, malloc and free. Their bodies are the
// simulator's.
#pragma once

extern "C" {
__device__ int vprintf(const char *format, const char *arguments);
__device__ void *malloc(size_t bytes) __attribute__((nothrow, malloc));
__device__ void free(void *pointer) __attribute__((nothrow));
__device__ void __assertfail(const char *message, const char *file, unsigned line, const char *function,
                             size_t charSize);

// Clang turns printf into vprintf, and wants to have seen a declaration of it.
__device__ int printf(const char *format, ...);

// glibc's assert() calls __assert_fail; the device's own entry point has another name.
__device__ static inline void __assert_fail(const char *message, const char *file, unsigned line,
                                            const char *function) {
  __assertfail(message, file, line, function, sizeof(char));
}
}

namespace std {
__device__ static inline void *malloc(size_t bytes) { return ::malloc(bytes); }
__device__ static inline void free(void *pointer) { ::free(pointer); }
} // namespace std
