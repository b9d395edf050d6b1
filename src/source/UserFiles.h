// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <filesystem>
#include <set>

namespace heddle::source {

class Program;

/// Every file of the user's that was read for the program, itself included, by its canonical path. Headers of the toolkit, of the host
/// compiler and of -isystem are none.
std::set<std::filesystem::path> userFilesOf(const Program &program);

} // namespace heddle::source
