// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "support/Diagnostics.h"

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <variant>
#include <vector>

namespace clang {
class ASTContext;
class Expr;
class ForStmt;
class FunctionDecl;
class ParentMap;
class Stmt;
class VarDecl;
} // namespace clang

namespace heddle::source {
class Unit;
}

namespace heddle::analysis {

/// A loop that counts through values known before it runs: 0, 1, 2 ... or 128, 64, 32 ...
struct KnownLoop {
  const clang::ForStmt *loop = nullptr;
  const clang::VarDecl *counter = nullptr;
  std::vector<int64_t> values; ///< of the counter, one for each iteration
  bool isUnrolled = false;     ///< all of it, by a #pragma unroll of the user's or ours
  unsigned unrollCount = 0;    ///< `#pragma unroll N`, where it is fewer than the iterations
  bool hasBarrier = false;     ///< of whatever kind
};

/// An integer as the sum of thread indices, expressions of loop counters, and a constant.
struct WarpIndex {
  struct Term {
    int64_t factor = 0;
    const clang::Expr *value = nullptr; ///< holds counters and constants only
    std::set<const KnownLoop *> loops;  ///< whose counters it mentions
    bool operator==(const Term &other) const { return factor == other.factor; }
  };
  std::array<int64_t, 3> thread = {}; ///< factors of threadIdx.x, .y, .z
  std::map<std::string, Term> terms;  ///< by what is written there
  int64_t constant = 0;

  bool operator==(const WarpIndex &other) const = default;
  WarpIndex &add(const WarpIndex &other, int64_t times = 1);
  bool isUniform() const { return thread == std::array<int64_t, 3>(); }
  std::optional<int64_t> asConstant() const;
  bool isMultipleOf(int64_t number) const;
  std::set<const KnownLoop *> loops() const;
  /// In the words of the kernel: "kx * 32 + half"; divided by `divisor`, which must divide it. Counters are
  /// often unsigned, so a distance back is right only as what becomes an int.
  std::string str(int64_t divisor = 1) const;
};

/// What an index may be: one form, or one of two that a condition chooses between; or why there is none.
using IndexForms = std::variant<std::vector<WarpIndex>, Diagnostic>;

/// Reads indices of a kernel for blocks of a known shape.
///
/// Locals that never change represent what they were set to. Relied on: indices do not wrap around.
class WarpIndices {
public:
  WarpIndices(const source::Unit &unit, const clang::FunctionDecl *kernel, const clang::ParentMap &parents,
              std::array<int64_t, 3> block);

  IndexForms formsOf(const clang::Expr *index) const;
  /// Only where there is one form.
  std::optional<WarpIndex> formOf(const clang::Expr *index) const;
  /// The number of the own thread in the block, which is its lane.
  WarpIndex lane() const;

  const KnownLoop *countedLoop(const clang::Stmt *loop) const;
  bool neverChanges(const clang::VarDecl *variable) const { return !changes.contains(variable); }
  /// The index's least and greatest value over the lanes, and over the counters' values where `counters` has
  /// none for them.
  using Counters = std::map<const clang::VarDecl *, int64_t>;
  std::pair<int64_t, int64_t> rangeOverLanes(const WarpIndex &index, const Counters &counters) const;
  /// Every combination of the loops' counters; nothing where there are too many.
  static std::optional<std::vector<Counters>> combinations(const std::set<const KnownLoop *> &loops);

private:
  void findLoops(const clang::FunctionDecl *kernel);
  std::optional<KnownLoop> counted(const clang::ForStmt *loop) const;
  bool changesOnlyIn(const clang::VarDecl *variable, const clang::Stmt *part) const;
  std::optional<int64_t> evaluate(const clang::Expr *expression, const Counters &counters) const;
  std::optional<int64_t> evaluateBinary(const clang::Expr *expression, const Counters &counters) const;
  bool countersOf(const clang::Expr *expression, std::set<const KnownLoop *> &loops) const;
  IndexForms ofVariable(const clang::Expr *expression, const clang::VarDecl *variable) const;
  IndexForms ofBinary(const clang::Expr *expression) const;
  IndexForms notFixed(const clang::Expr *expression) const;
  std::optional<WarpIndex> atom(const clang::Expr *expression) const;

  const source::Unit &unit;
  const clang::ParentMap &parents;
  std::array<int64_t, 3> block;
  std::unordered_map<const clang::VarDecl *, std::vector<const clang::Stmt *>> changes;
  std::vector<std::unique_ptr<KnownLoop>> loopList;
};

/// The expression as the file of the user has it, for messages: indices of merged threads are threadIdx there.
std::string textInSource(const clang::Expr *expression, const clang::ASTContext &context);

} // namespace heddle::analysis
