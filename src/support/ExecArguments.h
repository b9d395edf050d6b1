// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What execve takes, made before a process is forked: the child of a program with threads may make system calls only.
#pragma once

#include <string>
#include <vector>

namespace heddle {

/// Pointers to the words, which must outlive them, and a null pointer at the end.
std::vector<char *> pointersTo(const std::vector<std::string> &words);

/// This process's environment with further assignments, which replace those of the same name.
std::vector<std::string> environmentWith(const std::vector<std::string> &assignments);

} // namespace heddle
