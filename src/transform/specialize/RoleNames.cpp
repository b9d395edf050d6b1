// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The text of a role: which expressions of the kernel read differently in producer and in consumer warps.
//
// Warps of both roles execute parts of one kernel text, but threadIdx counts threads of the enlarged block. For each role, RoleParts collects
// replacements of token ranges, and the writer asks for those inside the range that it copies:
//
//   threadIdx   the number among the threads of the role, split into dimensions; consumers come first in the block, so a single flat
//               group of them keeps it
//   blockDim    the constant of the original launch
//   tiles       the stage of the pipeline that is filled or read: tile -> tile[stage]
//   loops       a copy loop over the block's threads runs over producers; a loop that consumer groups divide runs over groups
//
// An outer range has precedence: what lies inside a replaced range is not replaced again, so ranges are added from outside to inside. Loops that
// producers divide may run before what they do thread by thread, hence only if both write different arrays.
#include "transform/specialize/RoleNames.h"

#include "source/Rewriter.h"
#include "source/TextEdits.h"
#include "transform/specialize/BulkForms.h"

#include <clang/AST/Expr.h>

using namespace clang;

namespace heddle::transform {

using analysis::Uses;

using BuiltinKind = analysis::ThreadBuiltin::Kind;

RoleNames::RoleNames(Names &names)
    : roles(names.fresh("Roles")), pipe(names.fresh("Pipe")), barriers(names.fresh("barriers")),
      producer(names.fresh("producer")), consumer(names.fresh("consumer")), stage(names.fresh("stage")),
      thread(names.fresh("thread")), tilesType(names.fresh("Tiles")), tilesMemory(names.fresh("tileMemory")),
      threadIndex{names.fresh("threadX"), names.fresh("threadY"), names.fresh("threadZ")} {}

std::string RoleNames::threadIndices(const std::string &linear, const RoleShape &shape) const {
  const auto &block = shape.block;
  if (shape.isFlat())
    return fmt::format("const unsigned {} = {};", threadIndex[0], linear);
  std::string text = fmt::format("const unsigned {} = {} % {}", threadIndex[0], linear, block[0]);
  if (block[2] == 1)
    return text + fmt::format(", {} = {} / {};", threadIndex[1], linear, block[0]);
  return text + fmt::format(", {} = {} / {} % {}, {} = {} / {};", threadIndex[1], linear, block[0], block[1],
                            threadIndex[2], linear, block[0] * block[1]);
}

RoleParts::RoleParts(const source::Unit &unit, const RolePlan &plan, const RoleNames &names, bool isProducer)
    : unit(unit), plan(plan), names(names), isProducer(isProducer) {
  if (isProducer && !plan.shape.isOneToOne())
    addDistributed();
  if (!isProducer && plan.shape.consumers > 1)
    addGroups();
  for (const KernelNode *node : plan.view.nodes()) {
    addTiles(*node);
    addBuiltins(*node);
  }
}

void RoleParts::add(SourceRange range, std::string text) {
  const source::TokenEdit tokens = source::tokensOf(unit, range);
  for (const Part &part : parts) // the outer one has it already
    if (tokens.begin >= part.begin && tokens.end <= part.end)
      return;
  parts.push_back({tokens.begin, tokens.end, {range, std::move(text)}});
}

std::vector<source::Replacement> RoleParts::within(SourceRange range) const {
  const source::TokenEdit tokens = source::tokensOf(unit, range);
  std::vector<source::Replacement> found;
  for (const Part &part : parts)
    if (part.begin >= tokens.begin && part.end <= tokens.end)
      found.push_back(part.replacement);
  return found;
}

/// What represents threadIdx in this role; nothing where it is not changed.
std::optional<std::string> RoleParts::threadText(unsigned dimension) {
  const RoleShape &shape = plan.shape;
  if (plan.shape.block[dimension] == 1)
    return "0u";
  if (isProducer && shape.isFlat() && !shape.isOneToOne())
    return names.thread;
  // Consumers come first in the block: with one group of a flat block nothing has changed for them.
  if (!isProducer && shape.isFlat() && shape.consumers == 1)
    return std::nullopt;
  namesThread = true;
  return names.threadIndex[dimension];
}

void RoleParts::addBuiltins(const KernelNode &node) {
  for (const Uses::Builtin &builtin : plan.view.facts(node).uses.builtins) {
    if (builtin.what.dimension > 2)
      continue;
    if (builtin.what.kind == BuiltinKind::BlockDim)
      add(builtin.range, fmt::format("{}u", plan.shape.block[builtin.what.dimension]));
    else if (builtin.what.kind == BuiltinKind::ThreadIdx)
      if (std::optional<std::string> text = threadText(builtin.what.dimension))
        add(builtin.range, *text);
  }
}

void RoleParts::addTiles(const KernelNode &node) {
  for (const Stmt *part : plan.view.facts(node).uses.statements) {
    auto *reference = dyn_cast<DeclRefExpr>(part);
    auto *variable = reference ? dyn_cast<VarDecl>(reference->getDecl()) : nullptr;
    if (!variable || !plan.split.tiles.contains(variable))
      continue;
    const std::string name = variable->getNameAsString();
    const bool isDynamic = variable->getType()->isIncompleteArrayType();
    add(reference->getSourceRange(), isDynamic ? fmt::format("{}::at({}, {})", names.pipe, name, names.stage)
                                               : fmt::format("{}[{}]", name, names.stage));
  }
}

/// `for (int i = threadIdx.x; i < 512; i += 128)` becomes a loop from the producer's own number on, in steps
/// of the number of producers, if nothing else in it asks for the thread.
void RoleParts::addDistributed() {
  for (const TileLoop &tile : plan.split.loops) {
    // Loops that producers distribute come before what they do thread by thread: only where it does not
    // matter.
    std::vector<DistributedLoop> found;
    std::set<const VarDecl *> byLoops, byThreads;
    for (size_t i = tile.loadBegin; i < tile.fill; ++i) {
      std::optional<DistributedLoop> shared = distributedLoopOf(*tile.statement(i));
      for (const KernelNode *node : plan.view.all(*tile.statement(i)))
        for (const analysis::Access *access : plan.view.facts(*node).accesses)
          if (auto *array = dyn_cast_or_null<VarDecl>(access->array->decl); array && access->isWrite())
            (shared ? byLoops : byThreads).insert(array);
      if (shared)
        found.push_back(*shared);
    }
    if (llvm::any_of(byLoops, [&](const VarDecl *array) { return byThreads.contains(array); }))
      continue;
    for (const DistributedLoop &shared : found) {
      distributed.insert(shared.loop.statement);
      add(shared.loop.start->getSourceRange(), names.roles + "::rank()");
      add(shared.loop.step->getSourceRange(), names.roles + "::producers");
    }
  }
}

std::optional<DistributedLoop> RoleParts::distributedLoopOf(const KernelNode &statement) const {
  std::optional<DistributedLoop> shared = distributedLoop(plan.view, statement.statement, plan.shape.block);
  if (!shared || !shared->loop.step || shared->loop.constantStep() != plan.shape.groupThreads())
    return std::nullopt;
  const bool asksOtherwise = llvm::any_of(plan.view.all(*statement.children[0]), [&](const KernelNode *node) {
    return plan.view.facts(*node).asksThread ||
           llvm::any_of(plan.view.facts(*node).reads, [&](const VarDecl *variable) {
             return plan.split.varyingVariables.contains(variable) &&
                    !plan.view.study.isInside(variable, statement.statement);
           });
  });
  return asksOtherwise ? std::nullopt : shared;
}

/// Loops that consumer groups distribute: from the group's number on, in steps of the number of groups.
void RoleParts::addGroups() {
  const auto textOf = [&](const Expr *expression, const RoleParts &inside) {
    return source::Rewriter(unit).text(expression, inside.within(expression->getSourceRange()));
  };
  // The heads mention the thread's index themselves: those parts come first, and go into the text of the new
  // heads.
  std::vector<std::pair<SourceRange, std::string>> heads;
  for (const analysis::CountedLoop &loop : plan.groups.loops) {
    RoleParts inner(*this);
    inner.addBuiltins(*plan.view.nodeOf(loop.statement));

    namesThread |= inner.namesThread;
    const std::string start = textOf(loop.start, inner), step = loop.step ? textOf(loop.step, inner) : "1";
    const std::string group = names.roles + "::group()", groups = names.roles + "::groups";
    heads.emplace_back(loop.start->getSourceRange(),
                       (start == "0" ? "" : start + " + ") + (step == "1" ? group : group + " * " + step));
    if (loop.step)
      heads.emplace_back(loop.step->getSourceRange(), groups + " * " + step);
    else
      heads.emplace_back(loop.statement->getInc()->getSourceRange(), loop.name() + " += " + groups);
  }
  for (const auto &[range, text] : heads)
    add(range, text);
  for (const GroupSplit::Element &element : plan.groups.elements)
    add(element.index->getSourceRange(), fmt::format("({} - {}::group()) / {}::groups",
                                                     textOf(element.index, *this), names.roles, names.roles));
}

} // namespace heddle::transform
