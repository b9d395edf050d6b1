// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// nvcc reads words of its command line from two variables of the environment as well: NVCC_PREPEND_FLAGS before
// those that are given, NVCC_APPEND_FLAGS behind them.
#pragma once

#include "source/CommandLine.h"

#include <string>
#include <string_view>
#include <vector>

namespace heddle::source {

/// The words of such a variable: as nvcc 13 has them, blanks between double quotes belong to a word, and so do the quotes.
std::vector<std::string> wordsOfVariable(std::string_view value);

/// The command as nvcc carries it out with these values of both variables. Words and inputs stay those that were given; modes, flags and
/// architectures are of all words. Clang's commands are left unchanged.
CompilerCommand withVariables(const CompilerCommand &command, std::string_view prepended,
                              std::string_view appended);

/// The same with the values that the variables have in this process.
CompilerCommand withEnvironment(const CompilerCommand &command);

} // namespace heddle::source
