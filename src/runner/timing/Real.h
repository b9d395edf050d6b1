// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cuda_runtime_api.h>
#include <dlfcn.h>

namespace heddle::timing {

/// The function of that name that the program would have called without us.
template <class Function> Function *real(const char *name) {
  return reinterpret_cast<Function *>(dlsym(RTLD_NEXT, name));
}

} // namespace heddle::timing

// Looked up once at each place. The name goes through another macro, since CUDA's headers give some functions
// the name of their newest version by a macro of their own.
#define HEDDLE_REAL(name)                                                                                    \
  (*[] {                                                                                                     \
    static auto *function = heddle::timing::real<decltype(name)>(#name);                                     \
    return function;                                                                                         \
  }())
#define REAL(name) HEDDLE_REAL(name)
