// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Counts, with loops weighed by how often they run; what each costs says the model (model/WorkCost.h):
//
//   - accesses. Merged threads that read the same element (the index along the merged axis is in none of its
//     subscripts) read it once, if the reads meet in one iteration of all loops around them: a loop that each
//     work item runs by itself reads again.
//   - operations. What the plan does once is done once for all items of a thread.
//
// Reuse between neighbours (a[i], a[i - 1]) does not count: with map=interleaved neighbours stay in different
// threads, and with map=blocked along x the stride costs in bank conflicts and coalescing what the reuse
// gains.
#include "transform/work/WorkEstimate.h"

#include "model/Thresholds.h"
#include "source/Unit.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/ExprCXX.h>
#include <clang/AST/StmtCXX.h>

#include <algorithm>
#include <array>
#include <map>

using namespace clang;

namespace heddle::transform {
namespace {

using analysis::Access;
using analysis::Array;

using model::threshold::work::assumedTrips;

/// How far calls are followed.
constexpr int mostCalls = 4;

double timesExecuted(const analysis::Loop *loop) {
  double times = 1;
  for (; loop; loop = loop->parent)
    times *= double(loop->trips.value_or(int64_t(assumedTrips)));
  return times;
}

class Estimator {
public:
  Estimator(const KernelFacts &facts, const arch::Arch &arch, const WorkPlan *plan,
            const std::vector<Axis> &axes)
      : facts(facts), costs(model::workCosts(arch)), plan(plan) {
    for (const Axis &axis : axes)
      factors[axis.dimension] = axis.factor;
    for (unsigned factor : factors)
      items *= factor;
    for (const auto &loop : facts.accesses->loops())
      trips[loop->statement] = double(loop->trips.value_or(int64_t(assumedTrips)));
  }

  model::Work run() {
    for (const Access &access : facts.accesses->all())
      addAccess(access);
    countOperations(facts.kernel->function->getBody(), 1, false, 0);
    return result;
  }

private:
  // Accesses
  // ------------------------------------------------------------------------------------------------------

  void addAccess(const Access &access) {
    Array::Space space = access.array->space;
    if (space == Array::Space::Constant || space == Array::Space::Local)
      return; // constants come with the instruction that uses them, locals are registers
    double once = costOf(access) * timesExecuted(access.loop);
    double done = once * shareDone(access);
    (space == Array::Space::Shared ? result.sharedMemory : result.globalMemory) += done;
    if (access.kind == Access::Kind::Read) {
      result.loads += once;
      result.loadsSaved += once - done;
    }
  }

  bool dependsOn(const Access &access, unsigned dimension) const {
    if (!access.address)
      return true;
    if (dimension == Axis::grid)
      return access.address->mentionsAny([](const analysis::Symbol &symbol) {
        return symbol.kind == analysis::SymbolKind::BlockIdx && symbol.dimension == 0;
      });
    return access.address->dependsOnThread(dimension);
  }

  double costOf(const Access &access) const {
    bool isShared = access.array->space == Array::Space::Shared;
    double words = std::max(1.0, double(access.bytes) / 4);
    bool isUniform = !dependsOn(access, 0); // rows of a block are mostly a warp, or a good part of it
    if (isUniform && access.kind == Access::Kind::Read)
      return isShared && isConsecutive(access) ? costs.consecutiveShared * words
             : isShared                        ? costs.sharedAccess
                                               : costs.broadcastGlobal;
    return (isShared ? costs.sharedAccess : costs.globalAccess * wasteOf(access)) * words;
  }

  bool isConsecutive(const Access &access) const {
    if (!access.address || !access.loop || !access.loop->counter)
      return false;
    auto step = access.address->coefficient(access.loop->counter);
    return step && step->constant() == access.bytes;
  }

  /// Rows of threads too narrow for a sector fetch what they do not use.
  double wasteOf(const Access &access) const {
    if (!facts.launch.block[0] || access.bytes <= 0)
      return 1;
    const double width = double(*facts.launch.block[0] / factors[0] * access.bytes);
    return width > 0 && width < costs.sectorBytes ? costs.sectorBytes / width : 1;
  }

  /// The share of this access that is left for each of the merged threads.
  double shareDone(const Access &access) const {
    if (!plan || access.kind != Access::Kind::Read || !meets(access))
      return 1;
    double share = 1;
    for (unsigned dimension = 0; dimension < 4; ++dimension)
      if (!dependsOn(access, dimension))
        share /= factors[dimension];
    return share;
  }

  /// The reads of several items are next to each other: no loop around them is inside the work loop.
  bool meets(const Access &access) const {
    if (!access.calls.empty())
      return false; // which call leads there is not followed
    for (const KernelNode *node : plan->nodes) {
      const auto &inside = plan->usesOf(*node).statements;
      if (!inside.contains(access.expression))
        continue;
      const bool loopsInside =
          access.loop && plan->bodiesOf(*node).empty() && inside.contains(access.loop->statement);
      return plan->of(*node).role != Work::Role::Item || !loopsInside;
    }
    return false;
  }

  // Operations
  // ----------------------------------------------------------------------------------------------------

  bool isDoneOnce(const Stmt *statement) const {
    if (!plan)
      return false;
    return std::ranges::any_of(plan->nodes, [&](const KernelNode *node) {
      return node->statement == statement && plan->of(*node).role == Work::Role::Once;
    });
  }

  double costOf(const Stmt *part) const {
    if (auto *binary = dyn_cast<BinaryOperator>(part)) {
      BinaryOperatorKind kind = binary->getOpcode();
      if (kind == BO_Div || kind == BO_Rem || kind == BO_DivAssign || kind == BO_RemAssign)
        return isConstant(binary->getRHS()) ? costs.divisionByConstant : costs.division;
      bool isFused = (kind == BO_Add || kind == BO_Sub || kind == BO_AddAssign || kind == BO_SubAssign) &&
                     (isProduct(binary->getLHS()) || isProduct(binary->getRHS()));
      return kind == BO_Assign || kind == BO_Comma || isFused ? 0 : costs.operation;
    }
    if (auto *unary = dyn_cast<UnaryOperator>(part))
      return unary->isIncrementDecrementOp() || unary->getOpcode() == UO_LNot ? costs.operation : 0;
    if (auto *overloaded = dyn_cast<CXXOperatorCallExpr>(part))
      return overloaded->isAssignmentOp() ? 0 : costs.operation;
    return isa<ConditionalOperator>(part) ? costs.operation : 0;
  }
  bool isConstant(const Expr *expression) const {
    return !expression->isValueDependent() && expression->isEvaluatable(facts.uniformity->unit().context());
  }
  static bool isProduct(const Expr *expression) {
    auto *binary = dyn_cast<BinaryOperator>(expression->IgnoreParenImpCasts());
    return binary && binary->getOpcode() == BO_Mul;
  }

  void countOperations(const Stmt *part, double times, bool isOnce, int depth) {
    if (!part || isa<LambdaExpr>(part))
      return;
    isOnce = isOnce || isDoneOnce(part);
    double share = isOnce ? 1.0 / items : 1;
    result.arithmetic += costOf(part) * times * share;
    if (auto *call = dyn_cast<CallExpr>(part); call && !isa<CXXOperatorCallExpr>(part)) {
      const FunctionDecl *callee = call->getDirectCallee();
      bool isUser = callee && callee->hasBody() && facts.uniformity->unit().isUserCode(callee->getLocation());
      if (isUser && depth < mostCalls)
        countOperations(callee->getBody(), times, isOnce, depth + 1);
      else if (!isUser && call->getType()->isRealFloatingType())
        result.arithmetic += costs.specialFunction * times * share;
    }
    auto loop = trips.find(part);
    bool isLoop = isa<ForStmt, WhileStmt, DoStmt, CXXForRangeStmt>(part);
    double inside = isLoop ? times * (loop != trips.end() ? loop->second : assumedTrips) : times;
    if (isa<PseudoObjectExpr>(part))
      return; // threadIdx.x: a register
    for (const Stmt *child : part->children())
      countOperations(child, inside, isOnce, depth);
  }

  const KernelFacts &facts;
  const model::WorkCosts costs;
  const WorkPlan *plan;
  std::array<unsigned, 4> factors = {1, 1, 1, 1};
  double items = 1;
  std::map<const Stmt *, double> trips;
  model::Work result;
};

} // namespace

model::Work estimateWork(const KernelFacts &facts, const arch::Arch &arch, const WorkPlan *plan,
                         const std::vector<Axis> &axes) {
  return Estimator(facts, arch, plan, axes).run();
}

} // namespace heddle::transform
