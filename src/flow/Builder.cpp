// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "flow/Builder.h"

#include <cassert>
#include <cmath>
#include <utility>

namespace heddle::flow {

namespace {

Builder &ownerOf(std::initializer_list<const Expr *> all) {
  for (const Expr *each : all)
    if (each->owner())
      return *each->owner();
  assert(false && "constants alone are folded before this");
  std::abort();
}

Instruction make(Op op, std::vector<Operand> operands) {
  Instruction instruction;
  instruction.op = op;
  instruction.operands = std::move(operands);
  return instruction;
}

Expr unary(Op op, const Expr &a, double (*fold)(double)) {
  if (a.get().isConstant())
    return fold(a.get().constant);
  return a.owner()->emit(make(op, {a.get()}));
}

} // namespace

Expr operator+(const Expr &a, const Expr &b) {
  if (a.get().isConstant() && b.get().isConstant())
    return a.get().constant + b.get().constant;
  if (a.get().is(0))
    return b;
  if (b.get().is(0))
    return a;
  return ownerOf({&a, &b}).emit(make(Op::Add, {a.get(), b.get()}));
}

Expr operator-(const Expr &a, const Expr &b) {
  if (a.get().isConstant() && b.get().isConstant())
    return a.get().constant - b.get().constant;
  if (b.get().is(0))
    return a;
  return ownerOf({&a, &b}).emit(make(Op::Subtract, {a.get(), b.get()}));
}

Expr operator*(const Expr &a, const Expr &b) {
  if (a.get().isConstant() && b.get().isConstant())
    return a.get().constant * b.get().constant;
  if (a.get().is(0) || b.get().is(0))
    return 0.0;
  if (a.get().is(1))
    return b;
  if (b.get().is(1))
    return a;
  return ownerOf({&a, &b}).emit(make(Op::Multiply, {a.get(), b.get()}));
}

Expr fma(const Expr &a, const Expr &b, const Expr &c) {
  if (c.get().is(0) || (a.get().isConstant() && b.get().isConstant()) || a.get().is(0) || a.get().is(1) ||
      b.get().is(0) || b.get().is(1))
    return a * b + c;
  return ownerOf({&a, &b, &c}).emit(make(Op::Fma, {a.get(), b.get(), c.get()}));
}

Expr reciprocal(const Expr &a) {
  return unary(Op::Reciprocal, a, [](double x) { return 1 / x; });
}

Expr exp2(const Expr &a) { return unary(Op::Exp2, a, std::exp2); }
Expr log2(const Expr &a) { return unary(Op::Log2, a, std::log2); }

Expr max(const Expr &a, const Expr &b) {
  if (a.get().isConstant() && b.get().isConstant())
    return std::fmax(a.get().constant, b.get().constant);
  return ownerOf({&a, &b}).emit(make(Op::Max, {a.get(), b.get()}));
}

Expr piecewise(const Expr &a, Steps steps) {
  bool same = true;
  for (double value : steps.values)
    same = same && value == steps.values.front();
  if (same)
    return steps.values.front();
  assert(!a.get().isConstant());
  Instruction instruction = make(Op::Piecewise, {a.get()});
  instruction.steps = std::move(steps);
  return a.owner()->emit(std::move(instruction));
}

Expr ifPositive(const Expr &condition, const Expr &then, const Expr &otherwise) {
  if (condition.get().isConstant())
    return condition.get().constant > 0 ? then : otherwise;
  return condition.owner()->emit(make(Op::IfPositive, {condition.get(), then.get(), otherwise.get()}));
}

Expr polynomial(const std::vector<Expr> &coefficients, const Expr &x) {
  Expr sum = coefficients.back();
  for (size_t i = coefficients.size() - 1; i-- > 0;)
    sum = fma(sum, x, coefficients[i]);
  return sum;
}

unsigned Builder::addField(std::string name, unsigned components) {
  program.fields.push_back({std::move(name), components});
  return unsigned(program.fields.size() - 1);
}

unsigned Builder::addUniform(std::string name) {
  program.fields.push_back({std::move(name), 1, true});
  return unsigned(program.fields.size() - 1);
}

unsigned Builder::addSum(std::string name) {
  assert((program.sums.empty() || program.sums.back().isResult) && "results come first");
  program.sums.push_back({std::move(name)});
  return unsigned(program.sums.size() - 1);
}

unsigned Builder::addInnerSum(std::string name) {
  program.sums.push_back({std::move(name), false});
  return unsigned(program.sums.size() - 1);
}

void Builder::begin(std::string note) { program.operations.push_back({std::move(note), {}, {}}); }

Expr Builder::load(unsigned field, unsigned component) {
  Instruction instruction = make(Op::Load, {});
  instruction.field = field;
  instruction.index = component;
  return emit(std::move(instruction));
}

Expr Builder::total(unsigned sum) {
  Instruction instruction = make(Op::Total, {});
  instruction.index = sum;
  return emit(std::move(instruction));
}

void Builder::add(unsigned sum, double coefficient, const Expr &value) {
  if (coefficient != 0 && !value.get().is(0))
    program.operations.back().contributions.push_back({sum, coefficient, value.get()});
}

Expr Builder::named(std::string name, const Expr &value) {
  if (value.get().value)
    program.valueNames[*value.get().value] = std::move(name);
  return value;
}

Expr Builder::emit(Instruction instruction) {
  assert(!program.operations.empty() && "begin() comes first");
  const unsigned value = unsigned(program.definedBy.size());
  instruction.result = value;
  program.operations.back().code.push_back(std::move(instruction));
  program.definedBy.push_back(unsigned(program.operations.size() - 1));
  program.valueNames.push_back("v" + std::to_string(value));
  return Expr(*this, value);
}

Program Builder::finish() { return std::move(program); }

} // namespace heddle::flow
