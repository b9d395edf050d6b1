// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "check/StaticForms.h"

#include <algorithm>

namespace heddle::check {
namespace {

// Larger ones are of no use to anybody who compares addresses.
constexpr size_t MostTerms = 12, MostFactors = 3, MostForms = 100'000;

} // namespace

Forms::Forms() {
  intern({});
  // A polynomial that nothing else is equal to.
  all.push_back(&numbers.emplace(Polynomial{{Monomial(16, 0xffff), 1}}, Opaque).first->first);
}

FormId Forms::intern(Polynomial polynomial) {
  if (polynomial.size() > MostTerms || all.size() > MostForms)
    return Opaque;
  auto [at, isNew] = numbers.try_emplace(std::move(polynomial), FormId(all.size()));
  if (isNew)
    all.push_back(&at->first);
  return at->second;
}

bool Forms::mentions(FormId form, uint32_t first, uint32_t end) const {
  for (const auto &[monomial, coefficient] : of(form))
    for (Symbol symbol : monomial)
      if (symbol >= first && symbol < end)
        return true;
  return false;
}

FormId Forms::symbol(Symbol symbol) { return intern({{Monomial{symbol}, 1}}); }

FormValue Forms::add(const FormValue &a, const FormValue &b, int64_t factor) {
  if (a.form == Opaque || b.form == Opaque)
    return {Opaque, 0};
  int64_t offset = 0;
  if (__builtin_mul_overflow(b.offset, factor, &offset) || __builtin_add_overflow(offset, a.offset, &offset))
    return {Opaque, 0};
  if (b.form == Constant || factor == 0)
    return {a.form, offset};
  auto [known, isNew] = sums[uint64_t(a.form) << 32 | b.form].try_emplace(factor, Opaque);
  if (!isNew)
    return {known->second, offset};
  Polynomial sum = of(a.form);
  for (const auto &[monomial, coefficient] : of(b.form)) {
    int64_t scaled = 0;
    int64_t &mine = sum[monomial];
    if (__builtin_mul_overflow(coefficient, factor, &scaled) || __builtin_add_overflow(mine, scaled, &mine))
      return {Opaque, 0};
    if (!mine)
      sum.erase(monomial);
  }
  return {known->second = intern(std::move(sum)), offset};
}

FormValue Forms::multiply(const FormValue &a, const FormValue &b) {
  if (a.form == Opaque || b.form == Opaque)
    return {Opaque, 0};
  if (b.form == Constant)
    return add({Constant, 0}, a, b.offset);
  if (a.form == Constant)
    return add({Constant, 0}, b, a.offset);
  Polynomial product;
  for (const auto &[m, c] : of(a.form))
    for (const auto &[n, d] : of(b.form)) {
      Monomial both = m;
      both.insert(both.end(), n.begin(), n.end());
      std::ranges::sort(both);
      int64_t scaled = 0;
      if (both.size() > MostFactors || __builtin_mul_overflow(c, d, &scaled))
        return {Opaque, 0};
      product[both] += scaled;
    }
  std::erase_if(product, [](const auto &term) { return term.second == 0; });
  const FormValue mixed =
      add(add({intern(std::move(product)), 0}, {a.form, 0}, b.offset), {b.form, 0}, a.offset);
  int64_t offset = 0;
  if (mixed.form == Opaque || __builtin_mul_overflow(a.offset, b.offset, &offset))
    return {Opaque, 0};
  return {mixed.form, mixed.offset + offset};
}

} // namespace heddle::check
