// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "check/StaticConditions.h"

#include <algorithm>

namespace heddle::check {
namespace {

constexpr FormValue OpaqueForm{Forms::Opaque, 0};

/// A sum of products of what is read as unsigned, with positive factors.
bool isNatural(const Forms &forms, const FormValue &value) {
  return value.form != Forms::Opaque && value.offset >= 0 &&
         std::ranges::all_of(forms.of(value.form), [](const auto &term) { return term.second > 0; });
}

} // namespace

void Facts::dropLanes(uint32_t lanes) {
  for (unsigned i = 0; i < count; ++i)
    for (uint32_t left = lanes; left; left &= left - 1)
      atLeastZero[i][unsigned(__builtin_ctz(left))] = OpaqueForm;
}

Condition conditionOf(Forms &forms, ptx::CmpOp compare, bool isSigned, uint32_t lanes, const LaneForms &a,
                      const LaneForms &b) {
  // a - b and b - a, less `less`
  auto difference = [&](const LaneForms &from, const LaneForms &what, int64_t less) {
    LaneForms result;
    result.fill(OpaqueForm);
    for (uint32_t left = lanes; left; left &= left - 1) {
      const unsigned lane = unsigned(__builtin_ctz(left));
      for (const LaneForms *side : {&a, &b})
        forms.comparesParametersAsUnsigned |=
            !isSigned && (*side)[lane].form != Forms::Opaque &&
            forms.mentions((*side)[lane].form, Forms::Parameters, Forms::Loops);
      if (isSigned || (isNatural(forms, a[lane]) && isNatural(forms, b[lane])))
        result[lane] = forms.add(forms.add(from[lane], what[lane], -1), {Forms::Constant, -less});
    }
    return result;
  };
  Condition condition;
  using enum ptx::CmpOp;
  switch (compare) {
  case Lt:
  case Lo:
    condition.ifTrue.add(difference(b, a, 1));
    condition.ifFalse.add(difference(a, b, 0));
    break;
  case Le:
  case Ls:
    condition.ifTrue.add(difference(b, a, 0));
    condition.ifFalse.add(difference(a, b, 1));
    break;
  case Gt:
  case Hi:
    condition.ifTrue.add(difference(a, b, 1));
    condition.ifFalse.add(difference(b, a, 0));
    break;
  case Ge:
  case Hs:
    condition.ifTrue.add(difference(a, b, 0));
    condition.ifFalse.add(difference(b, a, 1));
    break;
  default: break;
  }
  return condition;
}

Condition conditionOf(Forms &forms, ptx::CmpOp compare, uint32_t lanes, const Extremum &extremum,
                      const LaneForms &other, bool isLeft) {
  using enum ptx::CmpOp;
  const bool isLess = compare == Lt || compare == Le || compare == Lo || compare == Ls;
  const bool isMore = compare == Gt || compare == Ge || compare == Hi || compare == Hs;
  if (!isLess && !isMore)
    return {};
  // max(x, y) < n is x < n && y < n, and so is n > max(x, y); max(x, y) >= n is x >= n || y >= n. Reversed for min.
  const bool isAnd = (isLess == isLeft) == extremum.isMax;
  Condition all;
  for (const LaneForms &part : extremum.parts) {
    const Condition one =
        conditionOf(forms, compare, extremum.isSigned, lanes, isLeft ? part : other, isLeft ? other : part);
    all = isAnd ? conditionOfAnd(&all, &one) : conditionOfOr(&all, &one);
  }
  return all;
}

Condition conditionOfAnd(const Condition *a, const Condition *b) {
  Condition both;
  for (const Condition *each : {a, b})
    if (each)
      both.ifTrue.addAll(each->ifTrue);
  return both;
}

Condition conditionOfOr(const Condition *a, const Condition *b) {
  Condition either;
  for (const Condition *each : {a, b})
    if (each)
      either.ifFalse.addAll(each->ifFalse);
  return either;
}

} // namespace heddle::check
