// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "chem/Elements.h"

#include "chem/SourceText.h"

#include <cctype>

namespace heddle::chem {
namespace {

struct AtomicWeight {
  std::string_view symbol;
  double weight;
};

constexpr AtomicWeight atomicWeights[] = {
#define CHEM_ELEMENT(symbol, weight) {symbol, weight},
#include "chem/Elements.def"
};

} // namespace

std::optional<double> standardAtomicWeight(std::string_view symbol) {
  for (const AtomicWeight &each : atomicWeights)
    if (equalsIgnoringCase(each.symbol, symbol))
      return each.weight;
  return std::nullopt;
}

std::string elementSymbol(std::string_view written) {
  std::string symbol(written);
  for (size_t i = 0; i < symbol.size(); ++i) {
    auto letter = static_cast<unsigned char>(symbol[i]);
    symbol[i] = char(i == 0 ? std::toupper(letter) : std::tolower(letter));
  }
  return symbol;
}

} // namespace heddle::chem
