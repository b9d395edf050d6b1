// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "support/OpeningHeaders.h"

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace heddle {

/// A Clang command (the compiler and its flags, with no input and no output) that reads what its -include
/// options name, and then the standard headers of `opening` (openingHeaders), from a precompiled file: under $HEDDLE_HEADER_CACHE, or in the user's cache folder where that
/// is not set. Commands that differ only in the folders of -I share the file as long as these lead to the
/// same headers. It is made where it is missing or where a header that went into it has changed since. With
/// HEDDLE_HEADER_CACHE=off, where nothing can be written, or where the headers cannot be compiled by
/// themselves, the command is returned unchanged.
///
/// Every CUDA file begins with thirty thousand lines that it did not ask for, the same each time: four fifths
/// of the time that a small program takes to read. Most of the rest are <string>, <vector> and their like.
std::vector<std::string> withCachedHeaders(std::vector<std::string> command,
                                           const std::vector<std::string> &opening = {});
/// As above, with the headers before the macros alone where one of them mentions one of the macros.
std::vector<std::string> withCachedHeaders(std::vector<std::string> command, const OpeningHeaders &opening);

/// A file with this text in the folder of precompiled headers, or in the user's cache folder where none are kept: macros of the command line
/// that headers do not ask for. It is made once: a precompiled header that has read it would be refused if it were written
/// again. Where it is the last that a command includes, commands with other macros share a precompiled header. Nothing
/// where no file can be kept.
std::optional<std::filesystem::path> keptMacros(const std::string &text);

/// Removes precompiled files from `folder`, the least recently used first, until the others have at most
/// `bytes` together. Files that were used within `spared` stay: a compiler may be about to open them.
void limitHeaderCache(const std::filesystem::path &folder, uintmax_t bytes, std::chrono::seconds spared);

} // namespace heddle
