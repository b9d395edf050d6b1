// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The _ptsz and _ptds forms: the same calls with the null stream meaning the calling thread's own.
#include "cudart/Runtime.h"

using namespace heddle::cudart;

namespace {

struct PerThreadScope {
  bool before = std::exchange(nullStreamIsPerThread, true);
  ~PerThreadScope() { nullStreamIsPerThread = before; }
};

} // namespace

extern "C" {
#define HEDDLE_PER_THREAD(name, suffix, parameters, arguments)                                               \
  cudaError_t name##suffix parameters {                                                                      \
    PerThreadScope scope;                                                                                    \
    return name arguments;                                                                                   \
  }
#include "cudart/PerThread.def"
#undef HEDDLE_PER_THREAD
}
