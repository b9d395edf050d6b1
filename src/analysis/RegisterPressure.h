// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "analysis/Accesses.h"
#include "source/Kernel.h"
#include "support/Diagnostics.h"

#include <optional>
#include <string>
#include <vector>

namespace heddle::analysis {

/// How many 32-bit registers a thread of a kernel is likely to need, estimated from its source.
///
/// `byScope` is CREST's Algorithm 1 (after Carr and Kennedy): every variable of register scope, copies `x =
/// y` taken for one variable, and one register for each array reference with register-level reuse (the same
/// element read more than once, or the same in all iterations of its loop). Parameters and shared variables
/// need none. It is an upper view: variables that are never alive together still count.
///
/// `byLiveRange` is the most registers alive at any point: scalar locals that will be read again, plus what
/// the expression at that point needs for its parts (Sethi and Ullman), plus what called device functions
/// need.
///
/// Counted: 1 for values up to 32 bits, 2 for 64 bits and pointers, one for each 32 bits of a vector type or
/// small struct, all of a local array whose subscripts are constants once loops of known length are unrolled
/// (other arrays live in local memory). Not counted: kernel parameters (constant memory) unless the kernel
/// assigns to them, truth values (predicates), literals.
struct RegisterEstimate {
  unsigned byScope = 0;
  unsigned byLiveRange = 0;
  std::optional<unsigned> fromPtx;        ///< of the PTX that Clang makes (PtxRegisters.h), where it was made
  SourceLocation location;                ///< where the most are alive
  std::vector<std::string> alive;         ///< the variables alive there
  std::vector<std::string> inLocalMemory; ///< arrays that cannot be held in registers

  /// The estimate to work with: from the PTX, else live ranges and what every kernel needs besides.
  unsigned registers() const;
};

RegisterEstimate estimateRegisters(const source::Kernel &kernel, const Accesses &accesses);

} // namespace heddle::analysis
