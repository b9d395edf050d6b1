// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is computed at one point of a grid: fields in, sums out, and operations in between. A program says
// nothing of threads, vectors or memories, and the order of its operations is free as far as values allow.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace heddle::flow {

enum class Op {
  Load,       ///< component `index` of field `field`
  Total,      ///< sum `index`, once all operations that contribute to it are done
  Add,        ///< a + b
  Subtract,   ///< a - b
  Multiply,   ///< a * b
  Fma,        ///< a * b + c, rounded once where the target can
  Reciprocal, ///< 1 / a
  Exp2,       ///< 2^a for |a| < 1000
  Log2,       ///< of a positive a
  Max,        ///< the larger of a and b
  Piecewise,  ///< steps.values[i] where a lies above i of the thresholds
  IfPositive, ///< b where a > 0, else c
};

/// A constant, or the value of an earlier instruction.
struct Operand {
  std::optional<unsigned> value;
  double constant = 0;

  static Operand of(unsigned value) { return {value, 0}; }
  static Operand of(double constant) { return {std::nullopt, constant}; }
  bool isConstant() const { return !value; }
  bool is(double number) const { return !value && constant == number; }
  bool operator==(const Operand &) const = default;
};

/// A function that is constant between thresholds: steps has one more element than thresholds.
struct Steps {
  std::vector<double> thresholds, values;
};

struct Instruction {
  Op op = Op::Add;
  unsigned result = 0;
  std::vector<Operand> operands;
  unsigned field = 0, index = 0; ///< Load; Total has an index alone
  Steps steps;                   ///< Piecewise
};

/// `coefficient * value` goes into a sum.
struct Contribution {
  unsigned sum = 0;
  double coefficient = 1;
  Operand value;
};

/// A few instructions that belong together. One without contributions is pure: it may be done again anywhere
/// its inputs are known, or not at all where its values are not needed.
struct Operation {
  std::string note; ///< what it is, for the reader of generated code
  std::vector<Instruction> code;
  std::vector<Contribution> contributions;

  bool isPure() const { return contributions.empty(); }
};

struct Field {
  std::string name;
  unsigned components = 1; ///< a component is `stride` elements after the one before it
  bool isUniform = false;  ///< one number for all points, an argument of its own
};

/// Operations contribute to it in any order.
struct Sum {
  std::string name;
  bool isResult = true; ///< else nothing but a Total wants it
};

struct Program {
  std::vector<Field> fields;
  std::vector<Sum> sums;  ///< results first; one that nothing contributes to is zero
  double resultScale = 1; ///< what every result is multiplied by at the end
  /// In an order in which each finds its inputs, and totals their contributions.
  std::vector<Operation> operations;
  std::vector<std::string> valueNames; ///< of each value
  std::vector<unsigned> definedBy;     ///< the operation that computes each value

  /// Sums that are results: the first ones.
  unsigned resultCount() const;

  /// Values of other operations that an operation reads, each once, in order of first use.
  std::vector<unsigned> inputs(unsigned operation) const;
  /// Pure operations that must come before an operation, nearest needs last, each once.
  std::vector<unsigned> needs(unsigned operation) const;
};

} // namespace heddle::flow
