// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "transform/Context.h"

#include <optional>
#include <string>
#include <vector>

namespace heddle::transform {

/// How a thread's key is found before the kernel runs: by what the kernel itself does first, as far as the
/// key needs it.
///
///     const int row = blockIdx.x * 64 + threadIdx.x;      const int row = blockIdx.x * 64 + threadIdx.x;
///     if (row >= rows)                                    if (row >= rows)
///       return;                                      =>     return heddle::noWork;
///     float sum = 0;                                      return heddle::keyOf(begin[row + 1] - begin[row]);
struct KeyPlan {
  std::vector<std::string> lines; ///< of the function's body, without indentation of their own
  bool hasQueues = false;         ///< the key is the number of a branch
  std::string about;              ///< for the report: "'begin[row+1]-begin[row]'"
};

/// The key that a directive's `by=` asks for. `fixedGuards`: threads that return at once must be the same
/// whatever arrays hold. Nothing, with a refusal, where the key cannot be known before the kernel runs.
std::optional<KeyPlan> planKey(Context &context, const Kernel &kernel, bool fixedGuards);

} // namespace heddle::transform
