// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "transform/work/LoopHeads.h"

#include "analysis/StatementShape.h"
#include "source/ReachingDefinitions.h"
#include "transform/work/HeadWork.h"

#include <clang/AST/Decl.h>
#include <clang/AST/Stmt.h>

#include <algorithm>

using namespace clang;

namespace heddle::transform {

namespace {

using analysis::Level;

/// Every value that the variable ever has is the same for all threads of a block.
bool isAgreedOn(const analysis::Uniformity &uniformity, const VarDecl *variable) {
  const source::ReachingDefinitions &definitions = uniformity.definitions();
  if (!definitions.isTracked(variable) || definitions.addressEscapes(variable))
    return false;
  for (const source::Definition *definition : definitions.definitionsOf(variable))
    for (source::ReachingDefinitions::ValueId value : definitions.valuesOf(*definition))
      if (uniformity.levelOfValue(value) > Level::Block)
        return false;
  return true;
}

/// The variables of the head that differ by thread; none where all do, or where the loop is counted by one.
std::set<const VarDecl *> ownVariables(const analysis::Uniformity &uniformity, const ForStmt *loop) {
  auto *declarations = dyn_cast_or_null<DeclStmt>(loop->getInit());
  if (!declarations || declarations->isSingleDecl())
    return {};
  const std::vector<const VarDecl *> all = analysis::declaredBy(declarations);
  std::set<const VarDecl *> own(all.begin(), all.end());
  std::erase_if(own, [&](const VarDecl *variable) { return isAgreedOn(uniformity, variable); });
  const auto isOwn = [&](const VarDecl *variable) { return own.contains(variable); };
  return own.size() == all.size() || Uses::of(loop->getCond()).mentionsAny(isOwn)
             ? std::set<const VarDecl *>()
             : own;
}

} // namespace

std::optional<Needs> splitLoopHeads(Context &context, const Kernel &kernel) {
  const KernelFacts &facts = context.facts(kernel);
  std::vector<HeadWork> heads;
  for (const analysis::KernelNode *node : facts.tree->loopsAroundBarriers())
    if (auto *loop = dyn_cast<ForStmt>(node->statement))
      if (std::set<const VarDecl *> own = ownVariables(*facts.uniformity, loop); !own.empty())
        heads.push_back({loop, own});
  if (heads.empty())
    return std::nullopt;
  auto apart = takeHeadsApart(context, kernel, heads);
  auto *needed = std::get_if<Needs>(&apart);
  return needed ? std::optional(std::move(*needed)) : std::nullopt;
}

} // namespace heddle::transform
