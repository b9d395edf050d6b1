// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>

namespace heddle::source {

class Program;

/// By which files are compared: absolute, without links where it exists.
std::filesystem::path canonicalPath(const std::filesystem::path &file);

/// The files that #include lines of the user's files find, by the includer and what is written: `"name"` or `<name>`.
/// Includers and files have their canonical paths. Lines that the preprocessor skips count as well; those that name a
/// macro do not.
using Inclusions = std::map<std::filesystem::path, std::map<std::string, std::filesystem::path>>;

/// Adds those of a program: of each file that is not a system header.
void addInclusions(const Program &program, Inclusions &inclusions);

/// `"name"` or `<name>` of a line that includes something; empty for any other line.
std::string includedIn(std::string_view line);

} // namespace heddle::source
