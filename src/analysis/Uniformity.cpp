// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Uniformity as a least fixpoint.
//
// Everything starts as 'the same over the grid' and is raised until nothing changes: expressions by their
// operands, SSA values by what is assigned, phis by what meets there. Two things raise a value that no
// operand explains:
//   - threads that diverged at a divergent branch reconverge: a phi there picks by thread (SyncDependence.h);
//   - threads left a loop in different iterations: what the loop computed differs after it.
// A pass visits the blocks in reverse postorder and the elements of each in evaluation order, so operands
// come before what uses them and most kernels are done after two or three passes. Called functions are
// analysed with the levels of their arguments (UniformityCalls.cpp); every raise remembers its cause
// (UniformityWhy.cpp).
#include "analysis/Uniformity.h"

#include "analysis/UniformityImpl.h"
#include "source/Unit.h"

using namespace clang;

namespace heddle::analysis {

const char *nameOf(Level level) {
  static const char *const names[] = {"grid", "block", "warp", "thread"};
  return names[unsigned(level)];
}

bool Uniformity::Impl::raise(Fact &fact, Level level, const Cause &cause) {
  if (level <= fact.level)
    return false;
  fact.level = level;
  fact.cause = cause;
  changed = true;
  return true;
}

void Uniformity::Impl::solve() {
  ssa.resize(definitions->values().size());
  branches.resize(graph().size());
  joinAt.resize(graph().size());
  leftApart.resize(loops->loops().size());
  std::vector<std::vector<unsigned>> byBlock(graph().size());
  for (unsigned value = 0; value < definitions->values().size(); ++value)
    byBlock[definitions->values()[value].at.block].push_back(value);
  for (auto &list : byBlock) // phis first, then in the order of the elements that define
    std::stable_sort(list.begin(), list.end(), [&](unsigned a, unsigned b) {
      const auto &x = definitions->values()[a], &y = definitions->values()[b];
      bool phiX = x.kind == source::ReachingDefinitions::Value::Kind::Phi;
      bool phiY = y.kind == source::ReachingDefinitions::Value::Kind::Phi;
      return phiX != phiY ? phiX : x.at.position < y.at.position;
    });
  valuesIn = std::move(byBlock);
  do {
    changed = false;
    noteInitializers();
    for (unsigned block : graph().reversePostorder())
      passOver(block);
  } while (changed);
  collectDivergentBranches();
}

void Uniformity::Impl::passOver(unsigned block) {
  const auto &defined = valuesIn[block];
  const auto &elements = graph().elements(block);
  size_t next = 0;
  using Kind = source::ReachingDefinitions::Value::Kind;
  for (; next < defined.size() && definitions->values()[defined[next]].kind == Kind::Phi; ++next)
    updatePhi(defined[next]);
  if (elements.empty()) // the entry: parameters
    for (; next < defined.size(); ++next)
      defineAt(defined[next]);
  for (unsigned i = 0; i < elements.size(); ++i) {
    evaluate(elements[i]);
    for (; next < defined.size() && definitions->values()[defined[next]].at.position == i; ++next)
      defineAt(defined[next]);
    noteWrite(elements[i], block);
  }
  decide(block);
}

void Uniformity::Impl::decide(unsigned block) {
  if (graph().successors(block).size() < 2)
    return;
  const Expr *condition = graph().condition(block);
  Fact decision = condition ? valueOf(condition) : Fact{};
  if (!raise(branches[block], decision.level, {Cause::Kind::Operand, condition, 0, 0, {}}))
    return;
  const Divergence &apart = sync->of(block);
  for (unsigned join : apart.joins)
    raise(joinAt[join], decision.level, {Cause::Kind::Branch, condition, 0, block, {}});
  for (unsigned loop : apart.loopsLeft)
    raise(leftApart[loop], decision.level, {Cause::Kind::LoopExit, condition, 0, block, {}});
}

std::unique_ptr<Uniformity> analyseUniformity(const std::shared_ptr<UniformityShared> &shared,
                                              const FunctionDecl *function, CallContext context) {
  auto &definitions = shared->definitions[function];
  if (!definitions)
    definitions = source::ReachingDefinitions::of(function);
  if (!definitions)
    return nullptr;
  auto impl = std::make_unique<Uniformity::Impl>();
  impl->shared = shared;
  impl->definitions = definitions;
  impl->memory = std::make_unique<MemoryRoots>(*definitions, context.memories, &shared->state);
  impl->context = std::move(context);
  impl->loops = std::make_unique<LoopForest>(impl->graph(), dominatorsOf(impl->graph()));
  impl->sync = std::make_unique<SyncDependence>(impl->graph(), *impl->loops);
  shared->underWay.insert(function);
  impl->solve();
  shared->underWay.erase(function);
  return std::make_unique<Uniformity>(std::move(impl));
}

Uniformity::Uniformity(std::unique_ptr<Impl> impl) : impl(std::move(impl)) {}
Uniformity::~Uniformity() = default;

std::unique_ptr<Uniformity> Uniformity::of(const source::Kernel &kernel, const BlockShape &block) {
  auto shared = std::make_shared<UniformityShared>();
  shared->unit = kernel.unit;
  shared->block = block;
  source::withDeepStack([&] { shared->state = StateWrites::of(kernel); });
  CallContext context;
  context.parameters.assign(kernel.function->getNumParams(), Level::Grid);
  std::unique_ptr<Uniformity> result;
  source::withDeepStack([&] { result = analyseUniformity(shared, kernel.function, std::move(context)); });
  return result;
}

Level Uniformity::level(const Expr *expression) const { return impl->valueOf(expression).level; }

Level Uniformity::addressLevel(const Expr *lvalue) const { return impl->addressOf(lvalue).level; }

Level Uniformity::levelOfValue(unsigned value) const { return impl->ssa[value].level; }

Level Uniformity::branchLevel(const Stmt *statement) const {
  Level level = Level::Grid;
  for (unsigned block : impl->graph().reversePostorder())
    if (impl->graph().decision(block) == statement || impl->graph().terminator(block) == statement)
      level = join(level, impl->branches[block].level);
  return level;
}

Level Uniformity::branchLevelOfBlock(unsigned block) const { return impl->branches[block].level; }

bool Uniformity::isDivergentBranch(const Stmt *statement) const {
  return branchLevel(statement) > Level::Block;
}

const std::vector<DivergentBranch> &Uniformity::divergentBranches() const { return impl->divergent; }

const Uniformity *Uniformity::callee(const CallExpr *call) const {
  auto found = impl->callees.find(call);
  return found == impl->callees.end() ? nullptr : found->second;
}

const source::ReachingDefinitions &Uniformity::definitions() const { return *impl->definitions; }
const source::Unit &Uniformity::unit() const { return *impl->shared->unit; }

} // namespace heddle::analysis
