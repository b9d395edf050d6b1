// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cuda_runtime_api.h>
#include <dlfcn.h>

namespace heddle::trace {

/// The function of that name that the program would have called without this library.
template <class Function> Function *real(const char *name) {
  return reinterpret_cast<Function *>(dlsym(RTLD_NEXT, name));
}

} // namespace heddle::trace

// Looked up once at each place. The name goes through another macro, since CUDA's headers give some functions
// the name of their newest version by a macro of their own.
#define HEDDLE_REAL_AS(type, text)                                                                           \
  (*[] {                                                                                                     \
    static auto *function = heddle::trace::real<type>(text);                                                 \
    return function;                                                                                         \
  }())
#define HEDDLE_REAL(name) HEDDLE_REAL_AS(decltype(name), #name)
#define REAL(name) HEDDLE_REAL(name)
