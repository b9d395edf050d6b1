// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "analysis/Polynomial.h"
#include "support/Diagnostics.h"

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace clang {
class Stmt;
}

namespace heddle::analysis {

struct PointersApart;

/// Why an expression has no usable form, and where the trouble comes from.
struct NotAffine {
  std::string reason; ///< "loaded from memory", "product of threadIdx.x and i"
  SourceLocation location;
  /// "loaded from memory at line 12"
  std::string str() const;
};

/// The value of a whole-number expression: a polynomial that is affine in thread indices and loop iterations
/// (with coefficients that may be products of uniform values), or the reason why there is none.
class Affine {
public:
  Affine(int64_t constant) : Affine(Polynomial(constant)) {}
  Affine(Polynomial form) : shared(std::make_shared<Polynomial>(std::move(form))) {}
  static Affine not_(std::string reason, SourceLocation location);

  explicit operator bool() const { return shared != nullptr; }
  const Polynomial &operator*() const { return *shared; }
  const Polynomial *operator->() const { return shared.get(); }
  /// Only where there is no form.
  const NotAffine &why() const { return *trouble; }
  std::optional<int64_t> constant() const { return shared ? shared->constant() : std::nullopt; }
  /// The form, or "not affine: " and the reason.
  std::string str() const;
  bool operator==(const Affine &other) const;

  /// The form holds only if unsigned arithmetic on the way did not wrap around.
  bool assumesNoWrap = false;

private:
  Affine() = default;
  std::shared_ptr<const Polynomial> shared; ///< values are copied with every environment, so they are shared
  std::shared_ptr<const NotAffine> trouble;
};

/// Arithmetic that hands on the first reason met, and refuses products of two things that vary by thread or
/// iteration; `location` is where such a product is.
Affine add(const Affine &a, const Affine &b, const SourceLocation &location);
Affine subtract(const Affine &a, const Affine &b, const SourceLocation &location);
Affine multiply(const Affine &a, const Affine &b, const SourceLocation &location);

/// What makes a polynomial not affine: "product of threadIdx.x and i". Nothing where it is affine.
std::optional<std::string> productOfVarying(const Polynomial &form);

/// What is known of a launch. Known numbers are used instead of blockDim and gridDim.
struct LaunchFacts {
  std::array<std::optional<int64_t>, 3> block, grid;
  /// Pointers that no launch gives overlapping memory; null where nothing is known.
  std::shared_ptr<const PointersApart> pointers = nullptr;
};

/// A loop of the kernel, or of a device function as called from one place.
struct Loop {
  const clang::Stmt *statement = nullptr;
  const Loop *parent = nullptr;
  std::string variable; ///< the variable that counts: "i"; empty where none was found
  SourceLocation location;
  const Symbol *counter = nullptr; ///< iterations finished before this one
  Affine start = 0, step = 0;      ///< variable = start + step * counter
  std::optional<Affine> bound;     ///< what the loop's condition compares the variable with
  std::string comparison;          ///< "<", "<=", ">", ">=", "!=" of that condition
  std::optional<int64_t> trips;    ///< how often the body runs, where that is a constant
  bool hasEarlyExit = false;       ///< a break, or a return, leaves it

  unsigned depth() const { return parent ? parent->depth() + 1 : 1; }
  bool isInside(const Loop *outer) const { return this == outer || (parent && parent->isInside(outer)); }
};

} // namespace heddle::analysis
