// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/Symbol.h"

#include "analysis/Polynomial.h"

#include <fmt/format.h>

namespace heddle::analysis {

const Symbol *SymbolTable::intern(const std::string &key, Symbol symbol) {
  auto [at, isNew] = byKey.try_emplace(key);
  if (isNew) {
    symbol.id = unsigned(byKey.size());
    at->second = std::make_unique<Symbol>(std::move(symbol));
  }
  return at->second.get();
}

const Symbol *SymbolTable::builtin(SymbolKind kind, const char *name, unsigned dimension) {
  std::string full = fmt::format("{}.{}", name, "xyz"[dimension]);
  // Loop variables and parameters cannot contain a dot at this place: no clash of keys.
  return intern(full, Symbol{.kind = kind, .dimension = dimension, .name = full, .isNonNegative = true});
}

const Symbol *SymbolTable::parameter(const std::string &name, bool isUnsigned) {
  return intern("parameter " + name,
                Symbol{.kind = SymbolKind::Parameter, .name = name, .isNonNegative = isUnsigned});
}

const Symbol *SymbolTable::uniform(const std::string &name, bool isNonNegative,
                                   std::vector<const Loop *> variesIn) {
  std::string key = "uniform " + name;
  for (const Loop *loop : variesIn)
    key += fmt::format(" {}", static_cast<const void *>(loop));
  return intern(key, Symbol{.kind = SymbolKind::Uniform,
                            .name = name,
                            .isNonNegative = isNonNegative,
                            .variesIn = std::move(variesIn)});
}

const Symbol *SymbolTable::quotient(const std::string &name, const Polynomial &dividend, int64_t divisor) {
  return intern("quotient " + name, Symbol{.kind = SymbolKind::Uniform,
                                           .name = name,
                                           .divisor = divisor,
                                           .dividend = std::make_shared<Polynomial>(dividend)});
}

const Symbol *SymbolTable::iteration(const Loop *loop, const std::string &name) {
  return intern(fmt::format("loop {} {}", static_cast<const void *>(loop), name),
                Symbol{.kind = SymbolKind::Iteration, .name = name, .isNonNegative = true, .loop = loop});
}

const Symbol *SymbolTable::floorOf(const Polynomial &numerator, int64_t divisor) {
  Symbol symbol{.kind = SymbolKind::Floor,
                .name = fmt::format("floor(({})/{})", numerator.str(), divisor),
                .isNonNegative = numerator.isNonNegative(),
                .numerator = std::make_shared<Polynomial>(numerator),
                .divisor = divisor};
  std::string key = fmt::format("floor {} of", divisor);
  for (const auto &[monomial, coefficient] : numerator.terms()) {
    key += fmt::format(" {}", coefficient);
    for (const Symbol *factor : monomial) {
      key += fmt::format("*{}", factor->id);
      symbol.numeratorHasThread |= factor->dependsOnThread();
      symbol.numeratorHasLoop |= factor->dependsOnLoop();
    }
  }
  return intern(key, std::move(symbol));
}

} // namespace heddle::analysis
