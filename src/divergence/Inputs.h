// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "support/Diagnostics.h"

#include <cstdint>
#include <string>
#include <vector>

namespace heddle::ptx {
struct Function;
struct Module;
} // namespace heddle::ptx

namespace heddle::divergence {

/// Something that is known before a kernel starts, or read by it, and that decides which way a thread goes.
struct Input {
  enum class Kind {
    ThreadIndex, ///< %tid or %ctaid: the thread's index in the launch
    Parameter,   ///< the same for all threads of a launch
    Element,     ///< loaded from memory, once in a thread
    Combination, ///< a sum or difference of elements that a branch compares: its own input
    Varying,     ///< loaded again and again, or computed by what cannot be followed: no single value
  } kind = Kind::Element;
  std::string name;        ///< "tid.x", "parameter 'n'", "element loaded here"
  SourceLocation location; ///< Element, Varying: of the load
  uint32_t instr = ~0u;    ///< Element, Varying: which instruction of the kernel
  uint32_t element = 0;    ///< of a vector load
  /// Combination: what is added up, but for what is the same for all threads.
  struct Term {
    uint32_t input = 0;
    double times = 1;
    bool operator==(const Term &) const = default;
  };
  std::vector<Term> terms;

  bool operator==(const Input &other) const {
    return kind == other.kind && name == other.name && instr == other.instr && element == other.element &&
           terms == other.terms;
  }
};

/// Inputs of a kernel, and which of them decide how often each of its basic blocks is executed.
struct Inputs {
  std::vector<Input> inputs;
  std::vector<std::vector<uint32_t>> ofBlock; ///< by basic block of the kernel, rising indices into `inputs`
  /// By input: for elements and combinations the value that each thread loaded first, else empty. A thread
  /// that never came there has none (NaN).
  std::vector<std::vector<double>> values;
};

/// Finds them by data flow: from the conditions of the branches that a block depends on, backwards through
/// registers to what comes from outside. Registers are not distinguished by where they are read, and memory is
/// not followed, so there may be inputs too many and, where values go through memory, too few.
Inputs inputsOf(const ptx::Module &module, const ptx::Function &kernel);

} // namespace heddle::divergence
