// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "kernels/Real.h"

#include "kernels/Template.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <stdexcept>

namespace heddle::kernels {
namespace {

constexpr Real doubleReal = {"double", "fma", "fmax", false};
constexpr Real floats = {"float", "fmaf", "fmaxf", true};

float narrowed(double value) {
  const float least = std::numeric_limits<float>::min();
  if (std::abs(value) > double(std::numeric_limits<float>::max()))
    throw std::logic_error(fmt::format("{} does not fit a float", value));
  return value != 0 && std::abs(value) < double(least) ? std::copysign(least, float(value)) : float(value);
}

} // namespace

std::string Real::literal(double value) const {
  if (!isFloat)
    return kernels::literal(value);
  const std::string text = fmt::format("{}", narrowed(value));
  return (text.find_first_of(".e") == std::string::npos ? text + ".0" : text) + "f";
}

const Real &realOf(Precision precision) { return precision == Precision::Float ? floats : doubleReal; }

} // namespace heddle::kernels
