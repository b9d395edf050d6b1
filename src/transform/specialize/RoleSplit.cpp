// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The split goes by slices: what do the stores to the tiles need? Without regard to the order of statements:
// whatever may set a variable that is needed is needed. That may take more than necessary, never less.
#include "transform/specialize/RoleSplit.h"

#include "analysis/StatementShape.h"
#include "source/Unit.h"
#include "transform/specialize/GlobalOrder.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/Attr.h>
#include <clang/AST/Expr.h>

#include <algorithm>

using namespace clang;

namespace heddle::transform {

using analysis::Access;
using analysis::Array;
using analysis::jumpsOf;
using Kind = KernelNode::Kind;

const TileLoop *RoleSplit::loopWithLoad(const KernelNode *node) const {
  for (const TileLoop &loop : loops)
    if (loop.isInLoad(node))
      return &loop;
  return nullptr;
}

const TileLoop *RoleSplit::loopOf(const KernelNode *node) const {
  for (const TileLoop &loop : loops)
    if (node->isIn(loop.body))
      return &loop;
  return nullptr;
}

namespace {

std::string quoted(const VarDecl *variable) { return "'" + variable->getNameAsString() + "'"; }

const VarDecl *sharedArray(const Access &access) {
  return access.array->space == Array::Space::Shared ? dyn_cast_or_null<VarDecl>(access.array->decl)
                                                     : nullptr;
}

class Splitter {
public:
  explicit Splitter(const RoleView &view) : view(view) {}

  std::variant<RoleSplit, Diagnostic> split() {
    auto loops = findTileLoops(view);
    if (auto *refused = std::get_if<Diagnostic>(&loops))
      return *refused;
    result.loops = std::move(std::get<0>(loops));
    for (const TileLoop &loop : result.loops)
      result.tiles.insert(loop.tiles.begin(), loop.tiles.end());
    const bool done = checkNesting() && checkTiles() && takeJumps() && sliceProducer() && sliceConsumer() &&
                      checkVarying() && checkGlobalOrder();
    if (!done)
      return *trouble;
    return std::move(result);
  }

private:
  bool refuse(const KernelNode &at, const std::string &why, const std::string &hint = {}) {
    if (!trouble) {
      trouble = obstacle(view.place(at), why);
      trouble->hint = hint;
    }
    return false;
  }

  bool checkNesting() {
    for (const TileLoop &outer : result.loops)
      for (const TileLoop &inner : result.loops)
        if (&outer != &inner && inner.loop->isIn(outer.loop))
          return refuse(*inner.loop, "a loop over tiles inside a loop over tiles");
    return true;
  }

  // Tiles: written by loads only, read between the barriers only
  // -------------------------------------------------------------------------------------------------------

  bool mentionsTile(const KernelNode &node) const {
    return llvm::any_of(sharedMentions(view.facts(node)),
                        [&](const VarDecl *v) { return result.tiles.contains(v); });
  }
  bool isAlias(const VarDecl *variable) const { return aliasVariables.contains(variable); }

  bool checkTiles() {
    for (const TileLoop &loop : result.loops)
      if (!checkLoads(loop))
        return false;
    for (const KernelNode *node : view.nodes())
      if (result.loopOf(node) && !checkInLoop(*node))
        return false;
    for (const KernelNode *node : view.nodes())
      if (!result.loopOf(node) && !checkOutside(*node))
        return false;
    for (const KernelNode *node : view.nodes())
      if (!checkAliasUse(*node))
        return false;
    return true;
  }

  bool checkLoads(const TileLoop &loop) {
    for (size_t i = loop.loadBegin; i < loop.fill; ++i)
      for (const KernelNode *node : view.all(*loop.statement(i)))
        for (const Access *access : view.facts(*node).accesses) {
          const VarDecl *array = sharedArray(*access);
          if (!array || !loop.tiles.contains(array))
            continue;
          if (access->kind == Access::Kind::Atomic)
            return refuse(*node, fmt::format("{} is filled by atomics: what was in it, and the order of "
                                             "threads, matter",
                                             quoted(array)));
          if (access->kind == Access::Kind::Read)
            return refuse(*node, fmt::format("{} is read here, before the barrier that says that it is full",
                                             quoted(array)));
        }
    return true;
  }

  bool checkInLoop(const KernelNode &node) {
    const TileLoop &loop = *result.loopOf(&node);
    if (!mentionsTile(node) || loop.isInLoad(&node))
      return true;
    if (!loop.isInCompute(&node))
      return refuse(node,
                    "the tile of the turn before is used here: with several stages it is another one's");
    for (const Access *access : view.facts(node).accesses)
      if (const VarDecl *array = sharedArray(*access);
          array && result.tiles.contains(array) && access->isWrite())
        return refuse(node,
                      fmt::format("{} is written by the computation, not only by loads", quoted(array)));
    for (const VarDecl *variable : view.facts(node).writes)
      if (variable->getType()->isPointerType() && !view.study.isInside(variable, loop.body->statement))
        return refuse(node, fmt::format("{} points into the tile and outlives the turn", quoted(variable)));
    return true;
  }

  /// Outside of tile loops a tile may only be declared, and pointers into it be made that stay as they are.
  bool checkOutside(const KernelNode &node) {
    if (!mentionsTile(node) || declaresOneOf(node, result.tiles))
      return true;
    auto *declaration = dyn_cast<DeclStmt>(node.statement);
    const std::string outside = "the tile is used here, outside of the loop that loads it";
    if (!view.isStatement(node) || !declaration)
      return refuse(node, outside);
    for (const Decl *each : declaration->decls()) {
      auto *variable = dyn_cast<VarDecl>(each);
      if (!variable || !variable->getType()->isPointerType())
        return refuse(node, outside);
      for (const KernelNode *writer : view.writersOf(variable))
        if (writer != &node)
          return refuse(*writer,
                        fmt::format("{} points into the tile and outlives the turn", quoted(variable)));
      aliasVariables.insert(variable);
    }
    result.aliases.insert(&node);
    return true;
  }

  bool checkAliasUse(const KernelNode &node) {
    if (result.aliases.contains(&node))
      return true;
    for (const VarDecl *variable : view.facts(node).reads) {
      if (!isAlias(variable))
        continue;
      const TileLoop *loop = result.loopOf(&node);
      if (!loop || !(loop->isInLoad(&node) || loop->isInCompute(&node)))
        return refuse(node, "the tile is used here, outside of the loop that loads it");
    }
    return true;
  }

  // Jumps
  // -------------------------------------------------------------------------------------------------------

  /// A jump that decides whether there is another turn, or which: both roles must take it.
  bool takeJumps() {
    for (const KernelNode *node : view.nodes()) {
      if (view.isStatement(*node) && jumpsOf(node->statement).any())
        return refuse(*node, "this may leave the loop or the kernel from inside, which is not followed");
      if (node->kind != Kind::Jump)
        continue;
      const KernelNode *target = targetOf(*node);
      const bool concerns =
          isa<ReturnStmt>(node->statement)
              ? llvm::any_of(result.loops, [&](const TileLoop &loop) { return mayComeAfter(*node, loop); })
              : llvm::any_of(result.loops, [&](const TileLoop &loop) { return loop.loop->isIn(target); });
      if (!concerns)
        continue;
      if (const TileLoop *loop = result.loopOf(node); loop && !isBetweenTurns(*node, *loop))
        return refuse(*nearestHead(*node),
                      "the turn is left here, between the load and the end of the computation: "
                      "the other role would wait for ever");
      jumps.push_back(node);
    }
    return true;
  }

  const KernelNode *targetOf(const KernelNode &jump) const {
    for (const KernelNode *at = jump.parent; at; at = at->parent)
      if (at->kind == Kind::Loop)
        return at;
    return nullptr;
  }

  /// The branch that decides about the jump.
  const KernelNode *nearestHead(const KernelNode &jump) const {
    for (const KernelNode *at = jump.parent; at; at = at->parent)
      if (at->kind == Kind::Branch)
        return at;
    return &jump;
  }

  bool mayComeAfter(const KernelNode &node, const TileLoop &loop) const {
    if (node.isIn(loop.loop))
      return true;
    for (const KernelNode *at = &node; at; at = at->parent)
      if (at->kind == Kind::Loop && loop.loop->isIn(at))
        return true;
    const SourceManager &sources = view.study.unit.sources();
    return sources.isBeforeInTranslationUnit(node.statement->getBeginLoc(),
                                             loop.loop->statement->getBeginLoc());
  }

  bool isBetweenTurns(const KernelNode &node, const TileLoop &loop) const {
    const size_t index = loop.indexOf(&node).value_or(0);
    const size_t first = loop.before.value_or(loop.loadBegin);
    // Before anything of the tile is stored, or after it was given back.
    if (index > loop.release)
      return true;
    if (index >= loop.fill)
      return false;
    if (index < first)
      return true;
    for (size_t i = first; i <= index; ++i)
      for (const KernelNode *each : view.all(*loop.statement(i)))
        if (storesTo(view.facts(*each), result.tiles))
          return false;
    return true;
  }

  // Slices
  // -------------------------------------------------------------------------------------------------------

  bool sliceProducer() {
    for (const TileLoop &loop : result.loops) {
      for (size_t i = loop.loadBegin; i < loop.fill; ++i)
        for (const KernelNode *node : view.all(*loop.statement(i)))
          if (storesTo(view.facts(*node), result.tiles) && !produce(*node))
            return false;
      if (!produce(*loop.loop))
        return false;
    }
    for (const KernelNode *jump : jumps)
      if (!produce(*jump))
        return false;
    findVarying();
    return true;
  }

  bool produce(const KernelNode &node) {
    if (!result.producer.insert(&node).second)
      return true;
    if (!mayProduce(node))
      return false;
    if (node.parent && !produce(*node.parent))
      return false;
    for (const VarDecl *variable : view.facts(node).reads)
      if (!produceVariable(variable, node))
        return false;
    return true;
  }

  bool produceVariable(const VarDecl *variable, const KernelNode &reader) {
    if (view.definitions.isTracked(variable) && view.definitions.addressEscapes(variable))
      return refuse(reader,
                    fmt::format("the load needs {}, whose address is taken, so what changes it cannot be "
                                "seen",
                                quoted(variable)));
    for (const KernelNode *writer : view.writersOf(variable)) {
      if (result.aliases.contains(writer))
        continue;
      if (!produce(*writer)) {
        if (trouble && trouble->notes.empty() && writer != &reader)
          trouble->note(view.place(reader), fmt::format("{} is needed here to load", quoted(variable)));
        return false;
      }
    }
    return true;
  }

  bool mayProduce(const KernelNode &node) {
    const bool isStore = storesTo(view.facts(node), result.tiles);
    if (const Stmt *unseen = view.facts(node).unseen)
      return refuseAt(unseen, isStore
                                  ? "the load does something else besides, which producers cannot do alone"
                                  : "the load needs this, and what it does is not known");
    for (const Access *access : view.facts(node).accesses) {
      const VarDecl *array = sharedArray(*access);
      if (array && access->isRead())
        return refuse(node,
                      fmt::format("the load needs what is computed from shared memory here ({}): producers "
                                  "would have to wait for consumers",
                                  quoted(array)));
      const bool isOwn = access->array->space == Array::Space::Local;
      if (access->isWrite() && !isOwn && !(array && result.tiles.contains(array)))
        return refuse(node,
                      fmt::format("the load needs this, and it also stores to '{}'", access->array->name));
    }
    return true;
  }

  bool refuseAt(const Stmt *statement, const std::string &why) {
    if (!trouble)
      trouble = obstacle(view.study.unit.place(statement), why);
    return false;
  }

  bool sliceConsumer() {
    for (const KernelNode *node : view.nodes())
      if (hasEffect(*node) && !consume(*node))
        return false;
    for (const TileLoop &loop : result.loops)
      if (!consume(*loop.loop))
        return false;
    for (const KernelNode *jump : jumps)
      if (!consume(*jump))
        return false;
    return true;
  }

  /// Beyond the variables it sets. What only declares tiles, or loads them, is not the consumer's.
  bool hasEffect(const KernelNode &node) const {
    if (declaresOneOf(node, result.tiles) || storesTo(view.facts(node), result.tiles) ||
        isa<NullStmt>(node.statement))
      return false;
    if (node.kind == Kind::Jump || node.kind == Kind::Barrier)
      return true;
    if (auto *declaration = dyn_cast<DeclStmt>(node.statement))
      for (const Decl *each : declaration->decls())
        if (auto *variable = dyn_cast<VarDecl>(each); !variable || !variable->hasLocalStorage())
          return true; // types, shared arrays
    const bool stores = llvm::any_of(view.facts(node).accesses, [](const Access *access) {
      return access->isWrite() && access->array->space != Array::Space::Local;
    });
    if (stores)
      return true;
    // A group or a fragment that is declared and not used is no effect.
    return view.facts(node).unseen && !isa<DeclStmt>(node.statement);
  }

  bool consume(const KernelNode &node) {
    if (!result.consumer.insert(&node).second)
      return true;
    if (storesTo(view.facts(node), result.tiles))
      return refuse(node, "this both loads the tile and sets what the computation needs",
                    "write the two apart");
    if (node.parent && !consume(*node.parent))
      return false;
    for (const VarDecl *variable : view.facts(node).reads)
      for (const KernelNode *writer : view.writersOf(variable)) {
        if (isLoadedByProducer(*writer))
          return refuse(node,
                        fmt::format("{} is loaded in line {} for the tile and used here as well: it never "
                                    "goes through shared memory, and consumers do not load",
                                    quoted(variable), view.place(*writer).line),
                        "take the value from the tile");
        if (!result.aliases.contains(writer) && !consume(*writer))
          return false;
      }
    return true;
  }

  /// Loads that differ by thread, in a turn. Bounds and the like, the same for all, both roles may load.
  bool isLoadedByProducer(const KernelNode &node) const {
    return result.producer.contains(&node) && result.loopWithLoad(&node) &&
           (view.facts(node).loads(Array::Space::Global) || view.facts(node).loads(Array::Space::Unknown)) &&
           result.varying.contains(&node);
  }

  // What differs from thread to thread
  // -------------------------------------------------------------------------------------------------------

  /// To a fixed point: a variable may depend on itself around a loop.
  void findVarying() {
    for (bool changed = true; changed;) {
      changed = false;
      for (const KernelNode *node : result.producer) {
        if (result.varying.contains(node))
          continue;
        bool varies = view.facts(*node).asksThread;
        for (const VarDecl *variable : view.facts(*node).reads)
          varies |= result.varyingVariables.contains(variable);
        for (const KernelNode *up = node->parent; up; up = up->parent)
          varies |= (up->kind == Kind::Branch || up->kind == Kind::Loop) && result.varying.contains(up);
        if (!varies)
          continue;
        changed = true;
        result.varying.insert(node);
        result.varyingVariables.insert(view.facts(*node).writes.begin(), view.facts(*node).writes.end());
      }
    }
  }

  bool checkVarying() {
    for (const TileLoop &loop : result.loops)
      for (const KernelNode *up = loop.loop; up; up = up->parent)
        if (result.varying.contains(up) && (up->kind == Kind::Loop || up->kind == Kind::Branch))
          return refuse(*up, "whether there is another turn differs from thread to thread");
    for (const TileLoop &loop : result.loops)
      checkBetween(loop);
    for (const KernelNode *jump : jumps)
      if (result.varying.contains(jump))
        return refuse(*nearestHead(*jump), "threads leave here one by one, and the others go on");
    for (const KernelNode *node : view.nodes()) {
      const bool isOfInterest = result.producer.contains(node) && result.varying.contains(node);
      if (!isOfInterest)
        continue;
      if (result.loopWithLoad(node))
        checkInLoad(*node);
      else if (view.isStatement(*node))
        checkSinking(*node);
    }
    return true;
  }

  /// Among statements that producers carry out thread by thread, those that are the same for all can be
  /// brought forward only if they do no more than declare.
  void checkBetween(const TileLoop &loop) {
    const auto isOfThreads = [&](const KernelNode &statement) {
      return llvm::any_of(view.all(statement), [&](const KernelNode *node) {
        return result.producer.contains(node) &&
               (result.varying.contains(node) || storesTo(view.facts(*node), result.tiles));
      });
    };
    std::optional<size_t> first, last;
    for (size_t i = loop.loadBegin; i < loop.fill; ++i)
      if (isOfThreads(*loop.statement(i))) {
        first = first.value_or(i);
        last = i;
      }
    for (size_t i = first.value_or(0); last && i < *last; ++i) {
      const KernelNode &statement = *loop.statement(i);
      const bool isKept = result.producer.contains(&statement);
      if (isKept && !isOfThreads(*loop.statement(i)) && !isa<DeclStmt>(statement.statement) &&
          !result.onlyOneToOne)
        result.onlyOneToOne =
            obstacle(view.place(statement),
                     "this stands among loads and is the same for all threads, so a producer can "
                     "load for one thread only");
    }
  }

  /// A load must not set what lives longer than it.
  void checkInLoad(const KernelNode &node) {
    const TileLoop &loop = *result.loopWithLoad(&node);
    for (const VarDecl *variable : view.facts(node).writes)
      if (!view.study.isInside(variable, loop.body->statement))
        needOneToOne(node, variable);
    if (!storesTo(view.facts(node), result.tiles))
      return;
    for (const KernelNode *up = node.parent; up != loop.body; up = up->parent)
      if (up->kind == Kind::Branch && up->children.size() == 1)
        return result.partial.push_back(&node);
  }

  void needOneToOne(const KernelNode &node, const VarDecl *variable) {
    if (!result.onlyOneToOne)
      result.onlyOneToOne = obstacle(
          view.place(node),
          fmt::format(
              "{} differs from thread to thread and is carried from turn to turn, so a producer can load "
              "for one thread only",
              quoted(variable)));
  }

  /// A value of the thread's that is set before the load is worked out again in each turn, for each thread:
  /// only right for what stays the same meanwhile.
  void checkSinking(const KernelNode &node) {
    auto *declaration = dyn_cast<DeclStmt>(node.statement);
    const VarDecl *first = view.facts(node).writes.empty() ? nullptr : *view.facts(node).writes.begin();
    if (!declaration || node.parent->kind != Kind::Block) {
      if (first)
        needOneToOne(node, first);
      return;
    }
    for (const VarDecl *variable : view.facts(node).writes)
      if (!view.definitions.isNeverReassigned(variable) && !variable->getType()->isReferenceType())
        return needOneToOne(node, variable);
    for (const VarDecl *variable : view.facts(node).reads)
      for (const KernelNode *writer : view.writersOf(variable))
        if (comesLater(*writer, node))
          return needOneToOne(node, variable);
    if (view.facts(node).loads(Array::Space::Global) || view.facts(node).loads(Array::Space::Unknown))
      return needOneToOne(node, first); // a load in each turn is not what the author wrote
    result.sunk.insert(&node);
  }

  /// In the block that the node is a statement of, behind it.
  static bool comesLater(const KernelNode &writer, const KernelNode &node) {
    bool behind = false;
    for (const auto &sibling : node.parent->children) {
      if (behind && writer.isIn(sibling.get()))
        return true;
      behind |= sibling.get() == &node;
    }
    return false;
  }

  bool checkGlobalOrder() {
    auto order = orderOfGlobalMemory(view, result);
    if (auto *refused = std::get_if<Diagnostic>(&order)) {
      trouble = *refused;
      return false;
    }
    result.meets = std::get<GlobalOrder>(order).meets;
    return true;
  }

  const RoleView &view;
  RoleSplit result;
  std::optional<Diagnostic> trouble;
  std::vector<const KernelNode *> jumps;
  VariableSet aliasVariables;
};

} // namespace

std::variant<RoleSplit, Diagnostic> splitRoles(const RoleView &view) { return Splitter(view).split(); }

} // namespace heddle::transform
