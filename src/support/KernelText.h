// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the text of a CUDA file has and compiled code lacks, found without a parser: for messages about programs whose
// files may be gone, for another compiler, or not CUDA at all.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace heddle {

/// Comments and strings become spaces.
std::string withoutComments(std::string_view text);

/// The names of the parameters of a kernel in the text of a source file; empty where it is not defined there with
/// so many parameters, or several kernels of that name have parameters of different names. A parameter without a name
/// is empty. `kernel` is its name without scopes and template arguments; any number of parameters without `count`.
std::vector<std::string> parameterNamesIn(std::string_view source, std::string_view kernel,
                                          std::optional<size_t> count);

/// "saxpy" of "math::saxpy<float>".
std::string plainName(std::string name);

} // namespace heddle
