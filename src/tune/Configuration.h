// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "transform/Directive.h"

#include <string>
#include <vector>

namespace heddle::tune {

/// What a candidate is made of: everything that was chosen, and nothing that was not. The empty configuration is the
/// baseline.
struct Configuration {
  std::vector<transform::Directive> directives; ///< in the order they are carried out; no alternatives
  std::string block;                            ///< "x=128 y=2": sizes that the program's constants get
  std::vector<std::string> defines;             ///< "TILE=8"
  std::vector<std::string> flags;               ///< "-maxrregcount=64"
  std::vector<std::string> options;             ///< of `heddle chem`: "--warps=4"

  bool isBaseline() const;
  /// "block x=128; coarsen x=2 map=blocked; -DTILE=8 -maxrregcount=64", or "baseline". Two configurations with the
  /// same words are the same.
  std::string str() const;
  /// For the compiler, after the flags of the whole program.
  std::vector<std::string> compilerFlags() const;
};

/// Sixteen hexadecimal digits that represent some texts: the same on every machine and in every run.
std::string digestOf(const std::vector<std::string> &texts);

} // namespace heddle::tune
