// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "analysis/Affine.h"
#include "analysis/Condition.h"
#include "source/Kernel.h"
#include "support/Diagnostics.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace clang {
class Expr;
class Stmt;
class ValueDecl;
} // namespace clang

namespace heddle::analysis {

/// A piece of memory that accesses go to. Whether two different ones may overlap: PointersApart.h.
struct Array {
  enum class Space { Shared, Global, Constant, Local, Unknown };
  Space space = Space::Unknown;
  std::string name;                       ///< "tile", "in", "params.in"; for an unknown pointer the reason
  const clang::ValueDecl *decl = nullptr; ///< null for an unknown pointer
  bool isDynamic = false;                 ///< extern __shared__: all declarations of it are one array
  bool isParameter = false;               ///< a pointer the kernel was given
  bool isReadOnly = false;                ///< pointer to const, or __constant__
  bool isRestrict = false;                ///< __restrict__
  std::optional<unsigned> parameter;      ///< its number, where the pointer is a parameter itself
  /// Of a pointer that the kernel was given: what is known to be disjoint. Null where nothing is.
  std::shared_ptr<const PointersApart> apart = nullptr;
  std::string elementType;      ///< "float"
  int64_t elementBytes = 0;     ///< 0 where not known
  std::vector<int64_t> extents; ///< of a declared array, outermost first; empty for pointers and scalars
};

const char *nameOf(Array::Space space);

/// One read or write in the text, for all threads and iterations that execute it.
struct Access {
  enum class Kind { Read, Write, Atomic };
  Kind kind = Kind::Read;
  const Array *array = nullptr;
  std::string elementType; ///< of what is read or written
  int64_t bytes = 0;       ///< its size
  std::string text;        ///< "tile[ty][tx]" as written
  std::vector<Affine> subscripts;
  Affine address = 0; ///< bytes from the array's start

  const Loop *loop = nullptr; ///< the innermost around it
  Guards guards;              ///< conditions known to hold, innermost first
  unsigned region = 0;        ///< number of the barrier-free region, see Order
  const clang::Expr *expression = nullptr;
  const clang::Stmt *statement = nullptr; ///< the full statement it is part of
  SourceLocation location;
  std::vector<SourceLocation> calls; ///< in a device function: the calls that lead there, outermost first

  bool isRead() const { return kind != Kind::Write; }
  bool isWrite() const { return kind != Kind::Read; }
};

const char *nameOf(Access::Kind kind);

/// What happens in which order, as a tree: the kernel with its calls opened, reduced to what matters for
/// 'is there a barrier between'.
struct Event {
  enum class Kind { Sequence, Branch, Loop, Barrier, WarpBarrier, Region };
  Kind kind = Kind::Sequence;
  Event *parent = nullptr;
  unsigned indexInParent = 0;
  std::vector<std::unique_ptr<Event>> children; ///< Sequence: in order; Branch: the ways; Loop: one Sequence
  const Loop *loop = nullptr;                   ///< Loop
  bool mayBeSkipped = false;                    ///< Loop: it may run no iteration
  unsigned region = 0;                          ///< Region: accesses with no barrier between them
  SourceLocation location;                      ///< Barrier, WarpBarrier
};

/// Every access of a kernel to shared, global, constant memory and to local arrays.
///
/// The kernel is followed once from top to bottom with a symbolic value for each variable; device functions
/// with a body in the user's files are followed where they are called, with the arguments' values. Conditions
/// that hold at an access (branches, loop bounds, early returns) are its guards.
///
/// Relied on: indices do not wrap around (noted where unsigned arithmetic makes it possible), loads from
/// shared memory do not race.
class Accesses {
public:
  static std::unique_ptr<Accesses> of(const source::Kernel &kernel, const LaunchFacts &launch = {});
  ~Accesses();

  const source::Kernel &kernel() const { return *owner; }
  const LaunchFacts &launch() const { return facts; }
  const std::vector<Access> &all() const { return accessList; }
  const std::vector<std::unique_ptr<Array>> &arrays() const { return arrayList; }
  const std::vector<std::unique_ptr<Loop>> &loops() const { return loopList; }
  /// What is known of a loop; null for one that the walk has not come to.
  const Loop *loopOf(const clang::Stmt *statement) const;
  const Event &order() const { return *root; }
  unsigned regions() const { return regionCount; }
  unsigned barriers() const { return barrierCount; }
  SymbolTable &symbols() const { return *table; }

  /// The value of a whole-number expression of the kernel's own body, where it was evaluated once. Null for
  /// what is not one.
  const Affine *valueOf(const clang::Expr *expression) const;
  /// The condition of an if, loop or ?: of the kernel's own body.
  const Condition *conditionOf(const clang::Expr *expression) const;

  /// What could not be followed: recursion, calls too deep, a kernel too large. Facts are then incomplete.
  const std::vector<Diagnostic> &gaps() const { return gapList; }
  bool isComplete() const { return gapList.empty(); }
  /// The kernel reads threadIdx.<dimension>, or is launched with a block that is larger than 1 that way.
  bool usesThreadDimension(unsigned dimension) const;

private:
  friend class SymbolicWalk;
  Accesses() = default;

  const source::Kernel *owner = nullptr;
  LaunchFacts facts;
  std::unique_ptr<SymbolTable> table = std::make_unique<SymbolTable>();
  std::vector<Access> accessList;
  std::vector<std::unique_ptr<Array>> arrayList;
  std::vector<std::unique_ptr<Loop>> loopList;
  std::unique_ptr<Event> root;
  unsigned regionCount = 0, barrierCount = 0;
  std::array<bool, 3> usedDimensions{};
  std::unordered_map<const clang::Expr *, Affine> values;
  std::unordered_map<const clang::Expr *, Condition> conditions;
  std::vector<Diagnostic> gapList;
};

} // namespace heddle::analysis
