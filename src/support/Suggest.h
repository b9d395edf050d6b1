// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace heddle {

/// The name that was probably meant: one that `wanted` is the beginning of, or one that a few letters
/// separate from it. Nothing where every name is far away: a wrong suggestion is worse than none.
std::optional<std::string> probablyMeant(std::string_view wanted, const std::vector<std::string> &names);

/// "did you mean 'sm_90'?", or nothing.
std::string didYouMean(std::string_view wanted, const std::vector<std::string> &names);

/// "there are axpy and scale", "did you mean 'scale'? There are axpy and scale": for a name that is none of them.
std::string choicesFor(std::string_view wanted, const std::vector<std::string> &names);

} // namespace heddle
