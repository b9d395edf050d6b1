// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "analysis/Polynomial.h"
#include "support/Diagnostics.h"

#include <memory>
#include <string>
#include <vector>

namespace clang {
class Expr;
}

namespace heddle::analysis {

/// What a branch decided, as far as it can be said with polynomials. Negations are pushed down to the leaves.
struct Condition {
  enum class Kind {
    Unknown, ///< may be true or false
    AtLeast, ///< form >= 0
    Equal,   ///< form == 0
    NotEqual,
    And, ///< with no parts: true
    Or   ///< with no parts: false
  };
  Kind kind = Kind::Unknown;
  Polynomial form;
  std::vector<Condition> parts;

  static Condition unknown() { return {}; }
  static Condition always(bool value) { return {value ? Kind::And : Kind::Or, {}, {}}; }
  /// Any comparison of two forms: "<", "<=", ">", ">=", "==", "!=".
  static Condition compare(const Polynomial &left, const std::string &comparison, const Polynomial &right);
  static Condition both(Condition a, Condition b);
  static Condition either(Condition a, Condition b);
  Condition negated() const;

  bool isAlways(bool value) const { return kind == (value ? Kind::And : Kind::Or) && parts.empty(); }
  /// Something in it is not known.
  bool hasUnknown() const;
  /// All threads of a block decide alike. False where that is not known.
  bool isUniform() const;
  bool dependsOnThread(unsigned dimension) const;
  bool operator==(const Condition &other) const;
  /// "threadIdx.x - 1 >= 0 and n - threadIdx.x - 1 >= 0"
  std::string str() const;
};

/// A condition that holds everywhere below it, and where it was written. Guards form a chain from
/// the innermost outwards, shared by all that is under them.
struct Guard {
  Condition condition;
  SourceLocation location;
  std::string text; ///< as written, "!(...)" around it where the opposite holds
  std::shared_ptr<const Guard> outer;
};
using Guards = std::shared_ptr<const Guard>;

} // namespace heddle::analysis
