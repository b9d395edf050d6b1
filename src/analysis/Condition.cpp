// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/Condition.h"

namespace heddle::analysis {
namespace {

Condition leaf(Condition::Kind kind, Polynomial form) {
  if (form.overflowed())
    return Condition::unknown();
  if (auto value = form.constant())
    return Condition::always(kind == Condition::Kind::AtLeast ? *value >= 0
                             : kind == Condition::Kind::Equal ? *value == 0
                                                              : *value != 0);
  return {kind, std::move(form), {}};
}

/// And/Or with constants folded and nested ones of the same kind flattened.
Condition joined(Condition::Kind kind, Condition a, Condition b) {
  const bool neutral = kind == Condition::Kind::And;
  if (a.isAlways(neutral) || b.isAlways(!neutral))
    return b;
  if (b.isAlways(neutral) || a.isAlways(!neutral))
    return a;
  Condition result{kind, {}, {}};
  for (Condition *part : {&a, &b})
    if (part->kind == kind)
      result.parts.insert(result.parts.end(), part->parts.begin(), part->parts.end());
    else
      result.parts.push_back(std::move(*part));
  return result;
}

} // namespace

Condition Condition::compare(const Polynomial &left, const std::string &comparison, const Polynomial &right) {
  if (comparison == "<")
    return leaf(Kind::AtLeast, right - left - 1);
  if (comparison == "<=")
    return leaf(Kind::AtLeast, right - left);
  if (comparison == ">")
    return leaf(Kind::AtLeast, left - right - 1);
  if (comparison == ">=")
    return leaf(Kind::AtLeast, left - right);
  return leaf(comparison == "==" ? Kind::Equal : Kind::NotEqual, left - right);
}

Condition Condition::both(Condition a, Condition b) { return joined(Kind::And, std::move(a), std::move(b)); }

Condition Condition::either(Condition a, Condition b) { return joined(Kind::Or, std::move(a), std::move(b)); }

Condition Condition::negated() const {
  switch (kind) {
  case Kind::Unknown: return unknown();
  case Kind::AtLeast: return leaf(Kind::AtLeast, -form - 1);
  case Kind::Equal: return leaf(Kind::NotEqual, form);
  case Kind::NotEqual: return leaf(Kind::Equal, form);
  case Kind::And:
  case Kind::Or: break;
  }
  Condition result = always(kind == Kind::Or);
  for (const Condition &part : parts)
    result = joined(kind == Kind::And ? Kind::Or : Kind::And, result, part.negated());
  return result;
}

bool Condition::hasUnknown() const {
  if (kind == Kind::Unknown)
    return true;
  for (const Condition &part : parts)
    if (part.hasUnknown())
      return true;
  return false;
}

bool Condition::isUniform() const {
  if (kind == Kind::Unknown || form.dependsOnThread())
    return false;
  for (const Condition &part : parts)
    if (!part.isUniform())
      return false;
  return true;
}

bool Condition::dependsOnThread(unsigned dimension) const {
  if (kind == Kind::Unknown || form.dependsOnThread(dimension))
    return true;
  for (const Condition &part : parts)
    if (part.dependsOnThread(dimension))
      return true;
  return false;
}

bool Condition::operator==(const Condition &other) const {
  return kind != Kind::Unknown && kind == other.kind && form == other.form && parts == other.parts;
}

std::string Condition::str() const {
  switch (kind) {
  case Kind::Unknown: return "unknown";
  case Kind::AtLeast: return form.str() + " >= 0";
  case Kind::Equal: return form.str() + " == 0";
  case Kind::NotEqual: return form.str() + " != 0";
  case Kind::And:
  case Kind::Or: break;
  }
  if (parts.empty())
    return kind == Kind::And ? "true" : "false";
  std::string text;
  for (const Condition &part : parts) {
    bool nested = part.kind == Kind::And || part.kind == Kind::Or;
    text += (text.empty()        ? ""
             : kind == Kind::And ? " and "
                                 : " or ") +
            (nested ? "(" + part.str() + ")" : part.str());
  }
  return text;
}

} // namespace heddle::analysis
