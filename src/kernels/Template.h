// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Generated text is written as it will look, in raw strings, with `$name$` where something differs from one
// mechanism to another.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace heddle::kernels {

using Replacements = std::vector<std::pair<std::string, std::string>>;

/// The text with every `$name$` replaced. A name without a replacement, or a replacement without a place, is
/// a mistake in the generator: std::logic_error.
std::string fillIn(std::string_view text, const Replacements &replacements);

/// The shortest decimal number that reads back to the same double, with a point or an exponent: "2.0".
std::string literal(double value);

/// A name as it may stand at the end of a `//` comment: without a last backslash, which would make the next
/// line part of it.
std::string inComment(std::string_view name);

} // namespace heddle::kernels
