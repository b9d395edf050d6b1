// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "transform/specialize/RoleWork.h"

#include "model/Thresholds.h"
#include "transform/specialize/BulkForms.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/Expr.h>

#include <cmath>

using namespace clang;

namespace heddle::transform {
namespace {

/// Iterations of a loop of unknown length.
constexpr double shortLoop = model::threshold::specialize::assumedTrips;

class WorkCounter {
public:
  WorkCounter(const RoleView &view, const RoleSplit &split, const std::array<int64_t, 3> &block)
      : view(view), split(split), block(block) {}

  IterationWork of(const TileLoop &loop, const std::vector<CopyForm> &copies) const {
    IterationWork work;
    for (const CopyForm &form : copies) {
      if (!loop.isInLoad(form.node))
        continue;
      const auto [exact, steps] = timesOf(*form.node, *loop.body);
      work.steps += steps;
      if (!isForOneThread(*form.node, *loop.body))
        work.loads += exact;
    }
    for (const KernelNode *node : view.nodes())
      for (const analysis::Access *access : view.facts(*node).accesses) {
        auto *array = dyn_cast_or_null<VarDecl>(access->array->decl);
        if (loop.isInCompute(node) && access->isRead() && array && split.tiles.contains(array))
          work.reads += timesOf(*node, *loop.body).second;
      }
    return work;
  }

private:
  /// How often a statement is executed in an iteration: on average, and by the thread that does so most often.
  std::pair<double, double> timesOf(const KernelNode &node, const KernelNode &body) const {
    double exact = 1, most = 1;
    for (const KernelNode *up = node.parent; up && up != &body; up = up->parent) {
      if (up->kind != KernelNode::Kind::Loop)
        continue;
      const double times = iterationsOf(*up);
      exact *= times;
      most *= std::ceil(times);
    }
    return {exact, most};
  }

  double iterationsOf(const KernelNode &loop) const {
    if (std::optional<DistributedLoop> shared = distributedLoop(view, loop.statement, block))
      return double(shared->count) / double(*shared->loop.constantStep());
    auto *statement = dyn_cast<ForStmt>(loop.statement);
    if (!statement)
      return shortLoop;
    auto counted = view.study.countedByAll(statement);
    auto *found = std::get_if<analysis::CountedLoop>(&counted);
    if (!found)
      return shortLoop;
    if (found->trips())
      return double(*found->trips());
    Expr::EvalResult bound;
    const std::optional<int64_t> step = found->constantStep();
    if (!step || *step <= 0 || !found->bound->EvaluateAsInt(bound, view.study.unit.context()))
      return shortLoop;
    // From the thread's own number on, or from a start that is small beside the bound.
    return double(bound.Val.getInt().getExtValue()) / double(*step);
  }

  /// `if (threadIdx.x == 0)` around it: an element of the halo, for a few threads.
  bool isForOneThread(const KernelNode &node, const KernelNode &body) const {
    for (const KernelNode *up = node.parent; up && up != &body; up = up->parent) {
      if (up->kind != KernelNode::Kind::Branch)
        continue;
      for (const Stmt *part : view.facts(*up).uses.statements)
        if (auto *test = dyn_cast<BinaryOperator>(part); test && test->getOpcode() == BO_EQ)
          if (view.facts(*up).asksThread || llvm::any_of(view.facts(*up).reads, [&](const VarDecl *v) {
                return split.varyingVariables.contains(v);
              }))
            return true;
    }
    return false;
  }

  const RoleView &view;
  const RoleSplit &split;
  const std::array<int64_t, 3> &block;
};

} // namespace

IterationWork workPerIteration(const RoleView &view, const RoleSplit &split,
                               const std::vector<CopyForm> &copies, const std::array<int64_t, 3> &block) {
  WorkCounter counter(view, split, block);
  std::optional<IterationWork> least;
  for (const TileLoop &loop : split.loops)
    if (IterationWork work = counter.of(loop, copies); !least || work.loads < least->loads)
      least = work;
  return least.value_or(IterationWork());
}

} // namespace heddle::transform
