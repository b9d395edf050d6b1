// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "transform/PassResult.h"

#include <gmock/gmock.h>

namespace heddle::testing {

/// Adds what a pass edited to `all`; false where it was refused. A kernel that needs another form first is not changed.
inline bool collect(const transform::PassResult &result, source::Edits &all) {
  if (auto *edited = std::get_if<transform::Edited>(&result))
    all.append(edited->edits);
  return !std::holds_alternative<transform::Refused>(result);
}

} // namespace heddle::testing
