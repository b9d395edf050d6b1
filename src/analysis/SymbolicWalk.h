// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "analysis/Accesses.h"
#include "analysis/walk/Findings.h"

namespace heddle::analysis {

/// Follows a kernel from top to bottom with symbolic values.
class SymbolicWalk {
public:
  /// The symbols of the findings are rows of the table.
  static walk::Findings follow(const source::Kernel &kernel, const LaunchFacts &facts, SymbolTable &symbols);
  /// Makes Accesses of the findings.
  static void fill(Accesses &accesses, walk::Findings findings);
};

} // namespace heddle::analysis
