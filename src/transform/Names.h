// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/ADT/StringSet.h>

#include <string>

namespace heddle::source {
class Unit;
}

namespace heddle::transform {

/// "pair" becomes "Pair".
std::string capitalized(std::string name);

/// Gives out names that nothing in the file uses: what emitted code calls its own variables.
class Names {
public:
  /// Every identifier written in the file that `unit` reads is taken, macros included.
  explicit Names(const source::Unit &unit);

  /// `wanted` itself where it is free, else with the first number after it that makes it so.
  std::string fresh(const std::string &wanted);

private:
  llvm::StringSet<> taken;
};

} // namespace heddle::transform
