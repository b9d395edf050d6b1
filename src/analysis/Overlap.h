// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "analysis/PairSystem.h"

#include <cstdint>

namespace heddle::analysis {

/// A byte address taken apart: rows of a length that is not known, and what is left in a row.
///
///     4*width*(threadIdx.y + 1) + 4*threadIdx.x   =   4 * ( width * [threadIdx.y + 1]  +  [threadIdx.x] )
struct Rows {
  struct Group {
    Monomial length;  ///< product of parameters and similar values: width, width*height
    Polynomial index; ///< what it is multiplied by, in units of `unit`
  };
  std::vector<Group> groups; ///< longest rows first
  Polynomial rest;           ///< in units of `unit`
  int64_t unit = 1;          ///< bytes; divides all coefficients

  static Rows of(const Polynomial &address);
};

/// When two addresses touch the same byte, as formulas of a pair system.
struct Overlap {
  Formula exact;             ///< they certainly do
  Formula may;               ///< they do, or they may: rows of unknown length could reach into each other
  std::string unknownLength; ///< the length in the way, "width"; empty where `may` equals `exact`
};

/// Whether an index is known to be at least 0 and less than the row's length.
using StaysInRow = std::function<bool(const Polynomial &index, const Polynomial &length, unsigned side)>;
Overlap overlap(PairSystem &system, const Access &p, const Access &q, const StaysInRow &staysInRow);

} // namespace heddle::analysis
