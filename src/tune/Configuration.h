// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "transform/Directive.h"

#include <string>
#include <vector>

namespace heddle::tune {

/// Sizes that the constants get by which a program sizes its blocks.
struct BlockSizes {
  std::string kernel = {}; ///< whose launches are meant; empty: the problem's
  std::string sizes;       ///< "x=128 y=2"
};

/// What a candidate is made of: everything that was chosen, and nothing that was not. The empty configuration is the
/// baseline.
struct Configuration {
  std::vector<BlockSizes> blocks;
  /// In the order they are carried out; no alternatives. Those that name a kernel are for that one alone.
  std::vector<transform::Directive> directives;
  std::vector<std::string> defines; ///< "TILE=8"
  std::vector<std::string> flags;   ///< "-maxrregcount=64"
  std::vector<std::string> options; ///< of `heddle chem`: "--warps=4"

  bool isBaseline() const;
  /// How many things are other than in the baseline.
  size_t changes() const {
    return blocks.size() + directives.size() + defines.size() + flags.size() + options.size();
  }
  /// "block x=128; coarsen x=2 map=blocked; -DTILE=8 -maxrregcount=64", or "baseline"; "scale: coarsen x=2" where a kernel is
  /// named. Two configurations with the same words are the same.
  std::string str() const;
  /// For the compiler, after the flags of the whole program.
  std::vector<std::string> compilerFlags() const;
};

/// What is chosen for other kernels of the program, in addition. Of flags and definitions that both have with different values, the
/// first's remain.
Configuration together(Configuration first, const Configuration &second);

/// Sixteen hexadecimal digits that represent some texts: the same on every machine and in every run.
std::string digestOf(const std::vector<std::string> &texts);

} // namespace heddle::tune
