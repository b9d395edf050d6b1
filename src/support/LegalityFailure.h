// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "support/Diagnostics.h"

#include <fmt/format.h>

#include <optional>
#include <string>
#include <utility>

namespace heddle {

/// What is in the way of a transform and why, ready to be refused with; nothing where the way is free.
using LegalityFailure = std::optional<Diagnostic>;

inline Diagnostic legalityFailure(SourceLocation location, std::string reason) {
  return {Severity::Refusal, std::move(location), std::move(reason), {}, {}};
}

/// The same with values in the reason.
template <class First, class... Others>
Diagnostic legalityFailure(SourceLocation location, fmt::format_string<First, Others...> reason,
                           First &&first, Others &&...others) {
  return legalityFailure(std::move(location),
                         fmt::format(reason, std::forward<First>(first), std::forward<Others>(others)...));
}

} // namespace heddle
