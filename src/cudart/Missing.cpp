// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The calls of the runtime API that the simulator does not have. Each is there under its name, so that programs
// link and start; one that is really used says which it is. No CUDA header is read here: these have no
// parameters, and a C caller's are ignored.
#include "cudart/Report.h"

#include <mutex>
#include <set>

namespace {

constexpr int kNotSupported = 801; // cudaErrorNotSupported

int missing(const char *name) {
  static std::mutex guard;
  static std::set<const char *> reported;
  std::lock_guard lock(guard);
  if (reported.insert(name).second)
    heddle::cudart::report(std::string(name) +
                           " is not supported on the simulator: it returns cudaErrorNotSupported");
  return kNotSupported;
}

} // namespace

extern "C" {
#define HEDDLE_MISSING(name)                                                                                 \
  int name() { return missing(#name); }
#include "cudart/Missing.def"
#undef HEDDLE_MISSING
}
