// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace heddle::check {

/// The part of an unknown integer that is not a constant, as a polynomial over what is the same for all threads of a
/// block: blockIdx, gridDim and parameters; and, inside a loop, over how many iterations the thread has completed. Each
/// polynomial has one number, so that two are equal where their numbers are.
using FormId = uint32_t;

/// A value is its form plus a constant.
struct FormValue {
  FormId form = 0;
  int64_t offset = 0;
};

/// One for each lane of a register.
using LaneForms = std::array<FormValue, 32>;

class Forms {
public:
  using Symbol = uint16_t;
  using Monomial = std::vector<Symbol>; ///< sorted; {x, x, y} is x*x*y
  using Polynomial = std::map<Monomial, int64_t>;

  static constexpr FormId Constant = 0; ///< nothing but the constant
  static constexpr FormId Opaque = 1;   ///< anything

  // blockIdx.x, .y, .z are 0 to 2, gridDim 3 to 5; after them each 4 bytes of the parameters.
  static constexpr Symbol BlockIdx = 0, GridDim = 3, Parameters = 6;
  // Completed iterations of a loop, a number that each thread has for itself; and what a register holds at the
  // beginning of an iteration, while the loop is looked at for the first time (StaticLoops.cpp).
  static constexpr Symbol Loops = 0x4000, Registers = 0x8000;

  static constexpr bool isBlockIdx(Symbol symbol) { return symbol < GridDim; }
  static constexpr bool isGridDim(Symbol symbol) { return symbol >= GridDim && symbol < Parameters; }
  static constexpr bool isLoop(Symbol symbol) { return symbol >= Loops && symbol < Registers; }

  Forms();
  FormId symbol(Symbol symbol);
  FormValue add(const FormValue &a, const FormValue &b, int64_t factor = 1); ///< a + factor * b
  FormValue multiply(const FormValue &a, const FormValue &b);
  const Polynomial &of(FormId form) const { return *all[form]; }
  /// Whether a symbol of the form is one of those from `first` up to, not including, `end`.
  bool mentions(FormId form, uint32_t first, uint32_t end) const;
  /// A parameter was compared as unsigned, and is taken not to be negative where it is read as signed.
  bool comparesParametersAsUnsigned = false;

private:
  FormId intern(Polynomial polynomial);

  std::map<Polynomial, FormId> numbers;
  std::vector<const Polynomial *> all;
  std::unordered_map<uint64_t, std::unordered_map<int64_t, FormId>> sums; ///< by both forms, then the factor
};

} // namespace heddle::check
