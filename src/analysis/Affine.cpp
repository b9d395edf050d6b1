// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/Affine.h"

#include <fmt/format.h>

namespace heddle::analysis {
namespace {

bool varies(const Symbol &symbol) { return symbol.dependsOnThread() || symbol.dependsOnLoop(); }

Affine checked(Polynomial form, const Affine &a, const Affine &b, const SourceLocation &location) {
  if (form.overflowed())
    return Affine::not_("a coefficient does not fit in 64 bits", location);
  if (auto product = productOfVarying(form))
    return Affine::not_(*product, location);
  Affine result(std::move(form));
  result.assumesNoWrap = a.assumesNoWrap || b.assumesNoWrap;
  return result;
}

} // namespace

std::string NotAffine::str() const {
  return location.line ? fmt::format("{} at line {}", reason, location.line) : reason;
}

Affine Affine::not_(std::string reason, SourceLocation location) {
  Affine result;
  result.trouble = std::make_shared<NotAffine>(NotAffine{std::move(reason), std::move(location)});
  return result;
}

std::string Affine::str() const { return shared ? shared->str() : "not affine: " + trouble->str(); }

bool Affine::operator==(const Affine &other) const {
  if (!shared || !other.shared)
    return trouble && trouble == other.trouble;
  return shared == other.shared || *shared == *other.shared;
}

Affine add(const Affine &a, const Affine &b, const SourceLocation &location) {
  return !a ? a : !b ? b : checked(*a + *b, a, b, location);
}

Affine subtract(const Affine &a, const Affine &b, const SourceLocation &location) {
  return !a ? a : !b ? b : checked(*a - *b, a, b, location);
}

Affine multiply(const Affine &a, const Affine &b, const SourceLocation &location) {
  return !a ? a : !b ? b : checked(*a * *b, a, b, location);
}

std::optional<std::string> productOfVarying(const Polynomial &form) {
  for (const auto &term : form.terms()) {
    const Symbol *first = nullptr;
    for (const Symbol *factor : term.first) {
      if (!varies(*factor))
        continue;
      if (first)
        return fmt::format("product of {} and {}", first->name, factor->name);
      first = factor;
    }
  }
  return std::nullopt;
}

} // namespace heddle::analysis
