// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "ptx/Rows.h"

#include <cstdint>

/// Which words of one row go together (Forms.def).
namespace heddle::ptx {

/// The set of the named types and groups: bit n is Type(n). Nothing where a name means nothing.
std::optional<uint64_t> typeSetOf(std::string_view names);

/// Why a form whose words all belong to its row is still no PTX; "" when it is. `words` are what followed the
/// name.
std::string contradiction(const Form &form, std::span<const std::string_view> words);

} // namespace heddle::ptx
