// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes a program as formulas: b.begin("H + O2"); q = k * (c1 * c2 - r); b.add(sum, -1, q).
#pragma once

#include "flow/Program.h"

namespace heddle::flow {

class Builder;

/// A constant or a value under construction. Constants are folded when they are combined.
class Expr {
public:
  Expr(double constant) : operand(Operand::of(constant)) {}
  Expr(Builder &builder, unsigned value) : builder(&builder), operand(Operand::of(value)) {}

  const Operand &get() const { return operand; }
  Builder *owner() const { return builder; }

private:
  Builder *builder = nullptr;
  Operand operand;
};

Expr operator+(const Expr &a, const Expr &b);
Expr operator-(const Expr &a, const Expr &b);
Expr operator*(const Expr &a, const Expr &b);
/// a * b + c
Expr fma(const Expr &a, const Expr &b, const Expr &c);
Expr reciprocal(const Expr &a);
Expr exp2(const Expr &a);
Expr log2(const Expr &a);
Expr max(const Expr &a, const Expr &b);
Expr piecewise(const Expr &a, Steps steps);
Expr ifPositive(const Expr &condition, const Expr &then, const Expr &otherwise);
/// c[0] + c[1] x + c[2] x^2 + ...
Expr polynomial(const std::vector<Expr> &coefficients, const Expr &x);

class Builder {
public:
  unsigned addField(std::string name, unsigned components);
  /// One number for all points.
  unsigned addUniform(std::string name);
  /// A result. All results come before the first sum that is none.
  unsigned addSum(std::string name);
  /// A sum that only totals want.
  unsigned addInnerSum(std::string name);

  /// All that follows belongs to a new operation.
  void begin(std::string note);
  const Operation &current() const { return program.operations.back(); }
  Expr load(unsigned field, unsigned component);
  /// All that operations before this one contribute to a sum; nothing may contribute to it afterwards.
  Expr total(unsigned sum);
  void add(unsigned sum, double coefficient, const Expr &value);
  /// Gives a value the name that it has in generated code; names must be unique and C identifiers.
  Expr named(std::string name, const Expr &value);

  Expr emit(Instruction instruction);
  Program finish();

private:
  Program program;
};

} // namespace heddle::flow
