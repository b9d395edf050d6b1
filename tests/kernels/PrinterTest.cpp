// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "kernels/Printer.h"

#include <gtest/gtest.h>

#include <stdexcept>

namespace heddle::kernels {
namespace {

using flow::Op;

const Real &doubles = realOf(Precision::Double), &floats = realOf(Precision::Float);

TEST(Real, WritesNumbersOfItsPrecision) {
  EXPECT_EQ(doubles.literal(2), "2.0");
  EXPECT_EQ(doubles.literal(1e-3), "0.001");
  EXPECT_EQ(floats.literal(1e-3), "0.001f");
  EXPECT_EQ(floats.literal(-16777216), "-16777216.0f");
}

TEST(Real, GuardsAgainstZeroStayGuards) {
  EXPECT_EQ(floats.literal(1e-300), "1.1754944e-38f");
  EXPECT_EQ(floats.literal(-1e-300), "-1.1754944e-38f");
  EXPECT_EQ(floats.literal(0), "0.0f");
  EXPECT_THROW(floats.literal(1e39), std::logic_error);
}

std::string printed(const Target &target, Op op, const std::vector<Printed> &operands) {
  return print(target, op, operands).text;
}

TEST(Printer, EveryTargetHasItsOwnArithmetic) {
  const std::vector<Printed> abc = {{"a"}, {"b"}, {"c"}};
  EXPECT_EQ(printed(deviceTarget(doubles), Op::Fma, abc), "fma(a, b, c)");
  EXPECT_EQ(printed(deviceTarget(floats), Op::Fma, abc), "fmaf(a, b, c)");
  EXPECT_EQ(printed(hostVectorTarget(doubles), Op::Fma, abc), "a * b + c");
  EXPECT_EQ(printed(hostLoopTarget(doubles), Op::Fma, abc), "madd(a, b, c)");
  EXPECT_EQ(printed(deviceTarget(floats), Op::IfPositive, abc), "(a > 0.0f ? b : c)");
  EXPECT_EQ(printed(warpsTarget(doubles), Op::IfPositive, abc), "hdl_choose(a > 0.0, b, c)");
  EXPECT_EQ(printed(hostLoopTarget(floats), Op::IfPositive, abc), "ifAbove(a, 0.0f, b, c)");
}

TEST(Printer, ParenthesesWhereTheyAreNeeded) {
  const Target target = deviceTarget(doubles);
  const Printed sum = print(target, Op::Add, {{"a"}, {"b"}}), minus = target.constant(-2);
  EXPECT_EQ(printed(target, Op::Multiply, {sum, sum}), "(a + b) * (a + b)");
  EXPECT_EQ(printed(target, Op::Add, {sum, sum}), "a + b + (a + b)");
  EXPECT_EQ(printed(target, Op::Subtract, {minus, minus}), "-2.0 - (-2.0)");
  EXPECT_EQ(printed(target, Op::Fma, {minus, {"a"}, sum}), "fma(-2.0, a, a + b)");
  EXPECT_EQ(printed(target, Op::Subtract, {target.constant(0), sum}), "-(a + b)");
  EXPECT_EQ(printed(hostVectorTarget(doubles), Op::Fma, {sum, minus, sum}), "(a + b) * (-2.0) + (a + b)");
}

TEST(Printer, TheHighestThresholdIsAskedFirst) {
  const Target device = deviceTarget(doubles), host = hostVectorTarget(doubles);
  const auto steps = [](const Target &target) {
    return printSteps(target, {"T"}, {target.constant(1), target.constant(2)},
                      {target.constant(10), target.constant(11), target.constant(12)})
        .text;
  };
  EXPECT_EQ(steps(device), "(T > 2.0 ? 12.0 : (T > 1.0 ? 11.0 : 10.0))");
  EXPECT_EQ(steps(host), "(T > 2.0 ? hdl_all(12.0) : (T > 1.0 ? hdl_all(11.0) : hdl_all(10.0)))");
}

} // namespace
} // namespace heddle::kernels
