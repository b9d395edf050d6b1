// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "kernels/Printer.h"

#include <fmt/format.h>

#include <cassert>
#include <cmath>

namespace heddle::kernels {

using flow::Op;

namespace {

Printed call(const std::string &function, const std::string &arguments) {
  return {function + "(" + arguments + ")"};
}

Printed sum(const Printed &a, const char *sign, const Printed &b) {
  return {a.within(Binding::Sum) + sign + b.within(Binding::Product), Binding::Sum};
}

Printed product(const Printed &a, const Printed &b) {
  return {a.within(Binding::Product) + " * " + b.within(Binding::Call), Binding::Product};
}

Printed select(const Target &target, const Printed &value, const std::string &limit, const std::string &then,
               const std::string &otherwise) {
  return {fmt::format(fmt::runtime(target.select), value.within(Binding::Call), limit, then, otherwise)};
}

} // namespace

Printed Target::constant(double value) const {
  // The sign of a negative number binds like a sum's: whatever is tighter needs parentheses.
  return {real->literal(value), value < 0 ? Binding::Sum : Binding::Call, true, value == 0};
}

Printed Target::asValue(const Printed &operand) const {
  return operand.isConstant && !broadcast.empty() ? call(broadcast, operand.text) : operand;
}

Target deviceTarget(const Real &real) {
  return {&real, real.type, "hdl_rcp", "hdl_exp2", "hdl_log2", real.max, real.fma, "({0} > {1} ? {2} : {3})",
          ""};
}

Target warpsTarget(const Real &real) {
  Target target = deviceTarget(real);
  target.select = "hdl_choose({0} > {1}, {2}, {3})";
  return target;
}

Target hostVectorTarget(const Real &real) {
  return {&real,    "hdl_vec", "hdl_rcp", "powerOf2", "logarithm2", "hdl_max", "", "({0} > {1} ? {2} : {3})",
          "hdl_all"};
}

Target hostLoopTarget(const Real &real) {
  return {&real, "Wide", "reciprocal", "exp2", "log2", "larger", "madd", "ifAbove({0}, {1}, {2}, {3})", ""};
}

Printed print(const Target &target, Op op, const std::vector<Printed> &operands) {
  switch (op) {
  case Op::Add: return sum(operands[0], " + ", operands[1]);
  case Op::Subtract:
    if (operands[0].isZero)
      return {"-" + operands[1].within(Binding::Call), Binding::Product};
    return sum(operands[0], " - ", operands[1]);
  case Op::Multiply: return product(operands[0], operands[1]);
  case Op::Fma:
    if (target.fma.empty())
      return sum(product(operands[0], operands[1]), " + ", operands[2]);
    return call(target.fma, fmt::format("{}, {}, {}", operands[0].text, operands[1].text, operands[2].text));
  case Op::Reciprocal: return call(target.reciprocal, operands[0].text);
  case Op::Exp2: return call(target.exp2, operands[0].text);
  case Op::Log2: return call(target.log2, operands[0].text);
  case Op::Max:
    return call(target.maximum, target.asValue(operands[0]).text + ", " + target.asValue(operands[1]).text);
  case Op::IfPositive:
    return select(target, operands[0], target.real->literal(0), target.asValue(operands[1]).text,
                  target.asValue(operands[2]).text);
  case Op::Load:
  case Op::Total:
  case Op::Piecewise: break;
  }
  assert(false && "not arithmetic");
  return {};
}

/// The highest threshold that is passed decides, so it is asked first: outermost.
Printed printSteps(const Target &target, const Printed &value, const std::vector<Printed> &thresholds,
                   const std::vector<Printed> &values) {
  std::string text = target.asValue(values[0]).text;
  for (size_t i = 0; i < thresholds.size(); ++i)
    text = select(target, value, thresholds[i].text, target.asValue(values[i + 1]).text, text).text;
  return {text};
}

std::string printTerm(const Target &target, double coefficient, const Printed &value) {
  const double size = std::abs(coefficient);
  return size == 1 ? value.within(Binding::Call) : product(target.constant(size), value).text;
}

} // namespace heddle::kernels
