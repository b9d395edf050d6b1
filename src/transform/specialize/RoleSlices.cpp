// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Backward slices along variables and control. Producers: the stores to tiles, the loops around them, jumps,
// and whatever those need. Consumers: everything else with an effect, and what it needs. A statement that both
// need both carry out, so a producer's may have no effect but on its tile and on variables.
#include "source/ReachingDefinitions.h"
#include "source/Unit.h"
#include "transform/specialize/SplitSteps.h"

#include <clang/AST/Expr.h>

using namespace clang;

namespace heddle::transform {
namespace {

using analysis::Access;
using analysis::Array;
using NodeKind = KernelNode::Kind;

LegalityFailure reasonNotToProduce(const KernelNode &node, const RoleSplit &split, const RoleView &view) {
  const analysis::CodeFacts &facts = view.facts(node);
  if (facts.unseen)
    return legalityFailure(view.study.unit.location(facts.unseen),
                           analysis::storesTo(facts, split.tiles)
                               ? "the load has a side effect, which producers cannot execute alone"
                               : "the load needs this, and what it does is not known");
  for (const Access *access : facts.accesses) {
    const VarDecl *array = sharedArray(*access);
    if (array && access->isRead())
      return refusalAt(view, node,
                       "the load needs what is computed from shared memory here ({}): producers would have "
                       "to wait for consumers",
                       quoted(array));
    const bool isOwn = access->array->space == Array::Space::Local;
    if (access->isWrite() && !isOwn && !(array && split.tiles.contains(array)))
      return refusalAt(view, node, "the load needs this, and it also stores to '{}'", access->array->name);
  }
  return std::nullopt;
}

class ProducerSlice {
public:
  ProducerSlice(RoleSplit &split, const RoleView &view) : split(split), view(view) {}

  LegalityFailure take(const KernelNode &node) {
    if (!split.producer.insert(&node).second)
      return std::nullopt;
    if (LegalityFailure refused = reasonNotToProduce(node, split, view))
      return refused;
    if (LegalityFailure refused = node.parent ? take(*node.parent) : std::nullopt)
      return refused;
    for (const VarDecl *variable : view.facts(node).reads)
      if (LegalityFailure refused = takeVariable(variable, node))
        return refused;
    return std::nullopt;
  }

private:
  LegalityFailure takeVariable(const VarDecl *variable, const KernelNode &reader) {
    if (view.definitions.isTracked(variable) && view.definitions.addressEscapes(variable))
      return refusalAt(view, reader,
                       "the load needs {}, whose address is taken, so what changes it cannot be seen",
                       quoted(variable));
    for (const KernelNode *writer : view.writersOf(variable)) {
      if (split.aliases.contains(writer))
        continue;
      LegalityFailure refused = take(*writer);
      if (refused && refused->notes.empty() && writer != &reader)
        refused->note(view.location(reader), fmt::format("{} is needed here to load", quoted(variable)));
      if (refused)
        return refused;
    }
    return std::nullopt;
  }

  RoleSplit &split;
  const RoleView &view;
};

class ConsumerSlice {
public:
  ConsumerSlice(RoleSplit &split, const RoleView &view) : split(split), view(view) {}

  /// Beyond the variables it sets. What only declares tiles, or loads them, is not the consumer's.
  bool hasEffect(const KernelNode &node) const {
    const analysis::CodeFacts &facts = view.facts(node);
    if (analysis::declaresOneOf(node, split.tiles) || analysis::storesTo(facts, split.tiles) ||
        isa<NullStmt>(node.statement))
      return false;
    if (node.kind == NodeKind::Jump || node.kind == NodeKind::Barrier)
      return true;
    if (auto *declaration = dyn_cast<DeclStmt>(node.statement))
      for (const Decl *each : declaration->decls())
        if (auto *variable = dyn_cast<VarDecl>(each); !variable || !variable->hasLocalStorage())
          return true; // types, shared arrays
    const bool stores = llvm::any_of(facts.accesses, [](const Access *access) {
      return access->isWrite() && access->array->space != Array::Space::Local;
    });
    // A group or a fragment that is declared and not used is no effect.
    return stores || (facts.unseen && !isa<DeclStmt>(node.statement));
  }

  LegalityFailure take(const KernelNode &node) {
    if (!split.consumer.insert(&node).second)
      return std::nullopt;
    if (analysis::storesTo(view.facts(node), split.tiles))
      return refusalAt(view, node,
                       "this statement loads the tile and sets a variable that the computation needs")
          .withHint("split it into two statements");
    if (LegalityFailure refused = node.parent ? take(*node.parent) : std::nullopt)
      return refused;
    for (const VarDecl *variable : view.facts(node).reads)
      for (const KernelNode *writer : view.writersOf(variable)) {
        if (isLoadedByProducer(*writer))
          return refusalAt(view, node,
                           "{} is loaded in line {} for the tile and used here as well: it never "
                           "goes through shared memory, and consumers do not load",
                           quoted(variable), view.location(*writer).line)
              .withHint("take the value from the tile");
        if (split.aliases.contains(writer))
          continue;
        if (LegalityFailure refused = take(*writer))
          return refused;
      }
    return std::nullopt;
  }

private:
  /// Loads that differ by thread, in a iteration. Bounds and similar values, the same for all, both roles may load.
  bool isLoadedByProducer(const KernelNode &node) const {
    const analysis::CodeFacts &facts = view.facts(node);
    return split.producer.contains(&node) && split.loopWithLoad(&node) &&
           (facts.loads(Array::Space::Global) || facts.loads(Array::Space::Unknown)) &&
           split.varying.contains(&node);
  }

  RoleSplit &split;
  const RoleView &view;
};

} // namespace

Split sliceProducer(RoleSplit split, const RoleView &view) {
  ProducerSlice slice(split, view);
  for (const TileLoop &loop : split.loops) {
    for (size_t i = loop.loadBegin; i < loop.fill; ++i)
      for (const KernelNode *node : view.all(*loop.statement(i)))
        if (analysis::storesTo(view.facts(*node), split.tiles))
          if (LegalityFailure refused = slice.take(*node))
            return *refused;
    if (LegalityFailure refused = slice.take(*loop.loop))
      return *refused;
  }
  for (const KernelNode *jump : split.jumps)
    if (LegalityFailure refused = slice.take(*jump))
      return *refused;
  return split;
}

Split sliceConsumer(RoleSplit split, const RoleView &view) {
  ConsumerSlice slice(split, view);
  std::vector<const KernelNode *> wanted;
  for (const KernelNode *node : view.nodes())
    if (slice.hasEffect(*node))
      wanted.push_back(node);
  for (const TileLoop &loop : split.loops)
    wanted.push_back(loop.loop);
  wanted.insert(wanted.end(), split.jumps.begin(), split.jumps.end());
  for (const KernelNode *node : wanted)
    if (LegalityFailure refused = slice.take(*node))
      return *refused;
  return split;
}

} // namespace heddle::transform
