// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace heddle::build {

/// Clang states only in comments which call brought an inlined instruction to its place:
///     .loc 2 344 10   // atomics.h:344:10 @[ k.cu:6:39 ]
/// Gives back the same PTX with that said in the way of nvcc, so that a message can show the
/// user's line:
///     .loc 1 6 39
///     .loc 2 344 10, inlined_at 1 6 39
/// Files that only comments know get a .file of their own, relative ones below `folder`.
std::string withInlinedLocations(std::string_view ptx, std::string_view folder);

/// The same for a file that Clang has just written from the current folder.
void addInlinedLocations(const std::filesystem::path &ptxFile);

} // namespace heddle::build
