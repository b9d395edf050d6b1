// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <isl/aff.h>
#include <isl/constraint.h>
#include <isl/ctx.h>
#include <isl/ilp.h>
#include <isl/mat.h>
#include <isl/options.h>
#include <isl/set.h>
#include <isl/space.h>
#include <isl/val.h>

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace heddle::analysis {

/// isl's context with a limit on the work done in it: past the limit operations give null, never hang. Errors
/// are seen by the null results, not printed.
class IslContext {
public:
  IslContext() : context(isl_ctx_alloc()) { isl_options_set_on_error(context, ISL_ON_ERROR_CONTINUE); }
  ~IslContext() { isl_ctx_free(context); }
  IslContext(const IslContext &) = delete;
  IslContext &operator=(const IslContext &) = delete;
  isl_ctx *get() const { return context; }

  /// Allows so many operations from now on, and forgets an error seen before.
  void allow(unsigned long operations) {
    isl_ctx_reset_error(context);
    isl_ctx_reset_operations(context);
    isl_ctx_set_max_operations(context, operations);
  }

private:
  isl_ctx *context;
};

/// A linear form over the dimensions of a space: coefficients, one a dimension, and a constant.
struct LinearForm {
  std::vector<int64_t> coefficients;
  int64_t constant = 0;
};

/// A set of integer points, as isl has it. Null after too much work: then everything asked of it is 'not
/// known'.
class IslSet {
public:
  explicit IslSet(isl_set *taken = nullptr) : set(taken) {}
  IslSet(const IslSet &other) : set(isl_set_copy(other.set)) {}
  IslSet(IslSet &&other) noexcept : set(std::exchange(other.set, nullptr)) {}
  IslSet &operator=(IslSet other) noexcept {
    std::swap(set, other.set);
    return *this;
  }
  ~IslSet() { isl_set_free(set); }

  static IslSet all(const IslContext &context, unsigned dimensions);
  static IslSet none(const IslContext &context, unsigned dimensions);
  /// Points where all of the first forms are 0 and all of the second at least 0. One call for all of them:
  /// adding constraints one by one makes isl simplify after each.
  static IslSet where(const IslContext &context, unsigned dimensions,
                      const std::vector<LinearForm> &equalities, const std::vector<LinearForm> &inequalities);

  friend IslSet operator&(IslSet a, IslSet b) { return IslSet(isl_set_intersect(a.release(), b.release())); }
  friend IslSet operator|(IslSet a, IslSet b) { return IslSet(isl_set_union(a.release(), b.release())); }

  /// Nothing where isl gave up.
  std::optional<bool> isEmpty() const;
  /// The least and largest value of a form over the set. Nothing where it is unbounded or isl gave up.
  std::optional<int64_t> least(const LinearForm &form) const { return extreme(form, false); }
  std::optional<int64_t> largest(const LinearForm &form) const { return extreme(form, true); }

private:
  isl_set *release() { return std::exchange(set, nullptr); }
  std::optional<int64_t> extreme(const LinearForm &form, bool largest) const;
  isl_set *set;
};

} // namespace heddle::analysis
