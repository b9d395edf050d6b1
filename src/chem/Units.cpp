// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "chem/Units.h"

#include "chem/Constants.h"
#include "chem/Numbers.h"

#include <algorithm>
#include <cmath>

namespace heddle::chem {
namespace {

struct NamedUnit {
  std::string_view name;
  Unit unit;
};

constexpr NamedUnit namedUnits[] = {
#define CHEM_UNIT(name, size, mass, length, time, temperature, amount)                                       \
  {name, {size, {mass, length, time, temperature, amount}}},
#include "chem/Units.def"
};

const Unit *findUnit(std::string_view name) {
  auto found = std::ranges::find(namedUnits, name, &NamedUnit::name);
  return found == std::ranges::end(namedUnits) ? nullptr : &found->unit;
}

void multiply(Unit &product, const Unit &factor, double exponent) {
  product.size *= std::pow(factor.size, exponent);
  for (size_t i = 0; i < product.dimension.size(); ++i)
    product.dimension[i] += exponent * factor.dimension[i];
}

/// `cm^3`; 1 where no exponent is given.
bool multiplyFactor(Unit &product, std::string_view text, double sign) {
  text = trimmed(text);
  size_t caret = text.find('^');
  const Unit *unit = findUnit(trimmed(text.substr(0, caret)));
  std::optional<double> exponent =
      caret == std::string_view::npos ? std::optional(1.0) : parseNumber(trimmed(text.substr(caret + 1)));
  if (!unit || !exponent || std::abs(*exponent) > 100)
    return false;
  multiply(product, *unit, sign * *exponent);
  return true;
}

} // namespace

Dimension rateDimension(double order) { return {0, 3 * (order - 1), -1, 0, -(order - 1)}; }

bool isSame(const Dimension &a, const Dimension &b) {
  return std::ranges::equal(a, b, [](double x, double y) { return std::abs(x - y) < 1e-6; });
}

std::optional<Unit> parseUnit(std::string_view text) {
  Unit product;
  double sign = 1;
  text = trimmed(text);
  if (text.empty())
    return std::nullopt;
  while (true) {
    size_t end = std::min(text.find_first_of("*/ "), text.size());
    if (!multiplyFactor(product, text.substr(0, end), sign))
      return std::nullopt;
    text = trimmed(text.substr(end));
    if (text.empty())
      return product;
    sign = text[0] == '/' ? -1 : 1;
    if (text[0] == '/' || text[0] == '*')
      text = trimmed(text.substr(1));
  }
}

std::string namesOfUnits() {
  std::string text;
  for (const NamedUnit &each : namedUnits)
    if (each.name != "1")
      text += fmt::format("{}{}", text.empty() ? "" : ", ", each.name);
  return text;
}

std::string asText(const Dimension &dimension) {
  static constexpr std::string_view names[] = {"kg", "m", "s", "K", "kmol"};
  std::string text;
  for (size_t i = 0; i < dimension.size(); ++i)
    if (std::abs(dimension[i]) > 1e-6)
      text += fmt::format("{}{}{}", text.empty() ? "" : " ", names[i],
                          dimension[i] == 1 ? "" : fmt::format("^{:g}", dimension[i]));
  return text.empty() ? "no unit" : text;
}

} // namespace heddle::chem
