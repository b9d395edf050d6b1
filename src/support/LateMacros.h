// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace heddle {

/// Clang's words for a CUDA file, with the macros of -D defined after the headers that Clang includes by itself, by an
/// -include of a file of #define lines. cuda.h and the headers around it have parameters with the names `N`, `X` and `size`;
/// nvcc includes none of these unasked, so -DN=1024 is a fair option for a program. Macros that configure headers (`_GNU_SOURCE`,
/// `NDEBUG`, `CUDA_API_PER_THREAD_DEFAULT_STREAM`) stay where they are, as does everything where the file cannot be kept.
std::vector<std::string> withLateMacros(std::vector<std::string> words);

/// The #define lines for words such as `-DN=64` and `-D`, `F(x)=x`; `others` are all words that remain. Of two definitions of a
/// name the last counts, as it does for a compiler, and a later -U takes it back. A macro that a header has defined keeps
/// its value, as if the header had come second. Empty where nothing is to be moved.
std::string lateMacroLines(const std::vector<std::string> &words, std::vector<std::string> &others);

/// Whether headers of C, C++ or CUDA ask for a macro of this name: a reserved one, or one that configures them.
bool isForHeaders(std::string_view name);

} // namespace heddle
