// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the kernel does with its tiles. With several stages a tile is another piece of memory in each iteration, and
// consumers see it full: so it may be stored to by loads only, and be read between the barriers only. Pointers
// into a tile that are made before the loop are recomputed in each iteration.
#include "transform/specialize/SplitSteps.h"

#include <clang/AST/Expr.h>

using namespace clang;

namespace heddle::transform {
namespace {

using analysis::Access;

constexpr const char *usedOutside = "the tile is used here, outside of the loop that loads it";

bool mentionsTile(const RoleSplit &split, const analysis::CodeFacts &facts) {
  return llvm::any_of(analysis::sharedMentions(facts),
                      [&](const VarDecl *v) { return split.tiles.contains(v); });
}

LegalityFailure checkLoads(const TileLoop &loop, const RoleView &view) {
  for (size_t i = loop.loadBegin; i < loop.fill; ++i)
    for (const KernelNode *node : view.all(*loop.statement(i)))
      for (const Access *access : view.facts(*node).accesses) {
        const VarDecl *array = sharedArray(*access);
        if (!array || !loop.tiles.contains(array))
          continue;
        if (access->kind == Access::Kind::Atomic)
          return refusalAt(view, *node,
                           "{} is filled by atomics: the result depends on its previous contents and on the "
                           "order of threads",
                           quoted(array));
        if (access->kind == Access::Kind::Read)
          return refusalAt(view, *node, "{} is read here, before the barrier after which it is full",
                           quoted(array));
      }
  return std::nullopt;
}

LegalityFailure checkInLoop(const KernelNode &node, const RoleSplit &split, const RoleView &view) {
  const TileLoop &loop = *split.loopOf(&node);
  const analysis::CodeFacts &facts = view.facts(node);
  if (!mentionsTile(split, facts) || loop.isInLoad(&node))
    return std::nullopt;
  if (!loop.isInCompute(&node))
    return refusalAt(
        view, node, "the tile of the previous iteration is used here: with several stages it is overwritten");
  for (const Access *access : facts.accesses)
    if (const VarDecl *array = sharedArray(*access);
        array && split.tiles.contains(array) && access->isWrite())
      return refusalAt(view, node, "{} is written by the computation, not only by loads", quoted(array));
  for (const VarDecl *variable : facts.writes)
    if (variable->getType()->isPointerType() && !view.study.isInside(variable, loop.body->statement))
      return refusalAt(view, node, "{} points into the tile and outlives the iteration", quoted(variable));
  return std::nullopt;
}

/// Outside of tile loops a tile may only be declared, and pointers into it be made that are not changed.
LegalityFailure takeOutside(const KernelNode &node, RoleSplit &split, const RoleView &view) {
  if (!mentionsTile(split, view.facts(node)) || analysis::declaresOneOf(node, split.tiles))
    return std::nullopt;
  auto *declaration = dyn_cast<DeclStmt>(node.statement);
  if (!view.isStatement(node) || !declaration)
    return refusalAt(view, node, usedOutside);
  for (const Decl *each : declaration->decls()) {
    auto *variable = dyn_cast<VarDecl>(each);
    if (!variable || !variable->getType()->isPointerType())
      return refusalAt(view, node, usedOutside);
    for (const KernelNode *writer : view.writersOf(variable))
      if (writer != &node)
        return refusalAt(view, *writer, "{} points into the tile and outlives the iteration",
                         quoted(variable));
    split.aliasVariables.insert(variable);
  }
  split.aliases.insert(&node);
  return std::nullopt;
}

LegalityFailure checkAliasUse(const KernelNode &node, const RoleSplit &split, const RoleView &view) {
  if (split.aliases.contains(&node))
    return std::nullopt;
  for (const VarDecl *variable : view.facts(node).reads) {
    if (!split.aliasVariables.contains(variable))
      continue;
    const TileLoop *loop = split.loopOf(&node);
    if (!loop || !(loop->isInLoad(&node) || loop->isInCompute(&node)))
      return refusalAt(view, node, usedOutside);
  }
  return std::nullopt;
}

} // namespace

Split checkTiles(RoleSplit split, const RoleView &view) {
  for (const TileLoop &loop : split.loops)
    if (LegalityFailure refused = checkLoads(loop, view))
      return *refused;
  for (const KernelNode *node : view.nodes())
    if (split.loopOf(node))
      if (LegalityFailure refused = checkInLoop(*node, split, view))
        return *refused;
  for (const KernelNode *node : view.nodes())
    if (!split.loopOf(node))
      if (LegalityFailure refused = takeOutside(*node, split, view))
        return *refused;
  for (const KernelNode *node : view.nodes())
    if (LegalityFailure refused = checkAliasUse(*node, split, view))
      return *refused;
  return split;
}

} // namespace heddle::transform
