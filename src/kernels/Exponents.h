// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Powers of two whose exponents are functions of temperature alone. A chemistry kernel has hundreds of them, rate
// constants for the most part. Taken in loops over tables of exponents, ahead of the code that reads them, they
// cost an instruction cache next to nothing.
#pragma once

#include "flow/Program.h"

#include <map>

namespace heddle::kernels {

/// An exponent as a function of temperature: a sum of multiples of 1, T, T^2, T^3, T^4, log2 T and 1/T, with
/// other numbers above a threshold of T.
struct Exponent {
  static constexpr size_t terms = 7, logarithm = 5, reciprocal = 6;
  std::array<double, terms> below{}, above{};
  std::optional<double> threshold;

  /// Are there none but 1, log2 T and 1/T, the same everywhere? Rate constants are such.
  bool isShort() const;
};

/// Loops of a kernel.
struct PowerLoops {
  unsigned atATime = 0; ///< powers that loops take before code reads them; 0 is none
  /// A table of each kind; each loop's rows are filled up with zeros to a multiple of `inStep`.
  std::vector<Exponent> shortRows, longRows;

  /// Exponentials that are worked on at once, in loops of short ones and of others: their steps wait for each
  /// other, but each one is code in every loop.
  static constexpr unsigned inStep(bool isShort) { return isShort ? 4 : 2; }
  /// Rows that loops of both kinds may be filled up with.
  static constexpr unsigned filling() { return inStep(true) - 1 + inStep(false) - 1; }
};

/// The values that loops may take, and the functions of temperature that their exponents are made of.
struct TemperaturePowers {
  std::vector<std::optional<Exponent>> of; ///< each value
  unsigned temperature = 0, logarithm = 0, reciprocal = 0;

  bool has(unsigned value) const { return of[value].has_value(); }
};

/// All of an operation's powers or none: they come from one round of loops, which takes `atATime`.
TemperaturePowers findPowers(const flow::Program &program, unsigned atATime);

/// A loop that precedes an operation.
struct PowerFill {
  bool isShort = true;
  size_t firstRow = 0, rows = 0; ///< of the table of its kind
  unsigned firstPlace = 0;       ///< where its powers go
};

struct LoopPlan {
  PowerLoops loops;                                  ///< with the rows of these operations
  std::map<unsigned, unsigned> places;               ///< of powers, by value
  std::map<unsigned, std::vector<PowerFill>> before; ///< operations
};

/// Operations in the order they are written take their powers from loops before them; loops of both kinds end
/// where the next operation's powers would not fit any more.
LoopPlan planLoops(const flow::Program &program, const TemperaturePowers &powers,
                   const std::vector<bool> &wanted, const std::vector<unsigned> &sequence, PowerLoops loops);

} // namespace heddle::kernels
