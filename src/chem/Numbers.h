// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "chem/SourceText.h"

#include <optional>
#include <string>
#include <string_view>

namespace heddle::chem {

/// A whole text as a finite number: 1, -.5, 2., 1e5, 1.0D+05. Nothing where it is not one.
std::optional<double> parseNumber(std::string_view text);

/// What is wrong with a text that is meant as a number; empty where it is one, or does not look like one.
std::string faultOfNumber(std::string_view text);

/// What may be meant by a text that is not a number; empty where there is no good guess.
std::string numberHint(std::string_view text);

/// The number that a word holds, or an error that says what the number was to be.
std::optional<double> readNumber(const Line &line, const Word &word, std::string_view what,
                                 Diagnostics &diagnostics);

} // namespace heddle::chem
