// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace heddle::launcher {

/// A name as make reads it in a rule: spaces, # and $ are escaped.
std::string escapedForMake(const std::string &name);

/// A rule without a recipe: each of the targets is to be made again when one of the files changes.
std::string dependencyRule(const std::vector<std::string> &targets,
                           const std::set<std::filesystem::path> &files);

/// The make rules that a compiler wrote (-MD), with other names: prerequisites that are keys of `renamed` get their values, and `added` become
/// prerequisites of the first rule, each with a rule of its own where the others have one (-MP). Layout is kept, and
/// no name is in the first rule twice.
std::string rewrittenDependencies(const std::string &rules, const std::map<std::string, std::string> &renamed,
                                  const std::vector<std::string> &added);

} // namespace heddle::launcher
