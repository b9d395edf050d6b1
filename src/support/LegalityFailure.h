// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "support/Diagnostics.h"

#include <optional>

namespace heddle {

/// What is in the way of a transform and why, ready to be refused with; nothing where the way is free.
using LegalityFailure = std::optional<Diagnostic>;

inline Diagnostic legalityFailure(SourceLocation location, std::string reason) {
  return {Severity::Refusal, std::move(location), std::move(reason), {}, {}};
}

} // namespace heddle
