// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "build/Build.h"

namespace heddle::build {

/// A build failed: where the compiler's or the linker's words mean that the program wants something the
/// simulator does not have, says what it is and what to do. Words that say no more than that are removed from `result`.
void explainFailure(const Request &request, Result &result, Diagnostics &diagnostics);

/// A header of the toolkit that is not among our own ones, with which Clang compiles programs: says which compiler has it.
/// False where the messages are about something else.
bool explainToolkitHeader(const std::string &messages, const std::string &compiler, Diagnostics &diagnostics);

/// The flags without -l of the toolkit's libraries. NVIDIA's runtime beside ours would take its launches; cuBLAS and similar libraries would be found
/// where a toolkit is installed, and fail at run time for lack of a GPU. Without them the linker names the functions that are missing, and
/// a program that only names the library on its command line runs.
std::vector<std::string> withoutToolkitLibraries(const std::vector<std::string> &flags);

} // namespace heddle::build
