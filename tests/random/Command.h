// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "random/Oracle.h"

#include <filesystem>

namespace heddle::generator {

/// Asks the command itself, `heddle opt main.cu -o out.cu -k kernel -d ...`, with its static check, and compares its exit
/// code and what it wrote with the verdict. In words what is wrong; empty where they agree.
std::string disagreement(const Program &program, const Verdict &verdict, const std::filesystem::path &heddle);

} // namespace heddle::generator
