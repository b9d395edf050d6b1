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
using Kind = RoleNode::Kind;

const TileLoop *RoleSplit::loopWithLoad(const RoleNode *node) const {
  for (const TileLoop &loop : loops)
    if (loop.isInLoad(node))
      return &loop;
  return nullptr;
}

const TileLoop *RoleSplit::loopOf(const RoleNode *node) const {
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
  explicit Splitter(const RoleTree &tree) : tree(tree) {}

  std::variant<RoleSplit, Diagnostic> split() {
    auto loops = findTileLoops(tree);
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
  bool refuse(const RoleNode &at, const std::string &why, const std::string &hint = {}) {
    if (!trouble) {
      trouble = obstacle(tree.place(at), why);
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

  bool mentionsTile(const RoleNode &node) const {
    return llvm::any_of(sharedMentions(node), [&](const VarDecl *v) { return result.tiles.contains(v); });
  }
  bool isAlias(const VarDecl *variable) const { return aliasVariables.contains(variable); }

  bool checkTiles() {
    for (const TileLoop &loop : result.loops)
      if (!checkLoads(loop))
        return false;
    for (RoleNode *node : tree.nodes())
      if (result.loopOf(node) && !checkInLoop(*node))
        return false;
    for (RoleNode *node : tree.nodes())
      if (!result.loopOf(node) && !checkOutside(*node))
        return false;
    for (RoleNode *node : tree.nodes())
      if (!checkAliasUse(*node))
        return false;
    return true;
  }

  bool checkLoads(const TileLoop &loop) {
    for (size_t i = loop.loadBegin; i < loop.fill; ++i)
      for (RoleNode *node : loop.statement(i)->all())
        for (const Access *access : node->accesses) {
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

  bool checkInLoop(const RoleNode &node) {
    const TileLoop &loop = *result.loopOf(&node);
    if (!mentionsTile(node) || loop.isInLoad(&node))
      return true;
    if (!loop.isInCompute(&node))
      return refuse(node,
                    "the tile of the turn before is used here: with several stages it is another one's");
    for (const Access *access : node.accesses)
      if (const VarDecl *array = sharedArray(*access);
          array && result.tiles.contains(array) && access->isWrite())
        return refuse(node,
                      fmt::format("{} is written by the computation, not only by loads", quoted(array)));
    for (const VarDecl *variable : node.writes)
      if (variable->getType()->isPointerType() && !tree.study.isInside(variable, loop.body->statement))
        return refuse(node, fmt::format("{} points into the tile and outlives the turn", quoted(variable)));
    return true;
  }

  /// Outside of tile loops a tile may only be declared, and pointers into it be made that stay as they are.
  bool checkOutside(RoleNode &node) {
    if (!mentionsTile(node) || declaresOneOf(node, result.tiles))
      return true;
    auto *declaration = dyn_cast<DeclStmt>(node.statement);
    const std::string outside = "the tile is used here, outside of the loop that loads it";
    if (node.kind != Kind::Leaf || !declaration)
      return refuse(node, outside);
    for (const Decl *each : declaration->decls()) {
      auto *variable = dyn_cast<VarDecl>(each);
      if (!variable || !variable->getType()->isPointerType())
        return refuse(node, outside);
      for (const RoleNode *writer : tree.writersOf(variable))
        if (writer != &node)
          return refuse(*writer,
                        fmt::format("{} points into the tile and outlives the turn", quoted(variable)));
      aliasVariables.insert(variable);
    }
    result.aliases.insert(&node);
    return true;
  }

  bool checkAliasUse(RoleNode &node) {
    if (result.aliases.contains(&node))
      return true;
    for (const VarDecl *variable : node.reads) {
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
    for (RoleNode *node : tree.nodes()) {
      if (node->kind == Kind::Leaf && jumpsOf(node->statement).any())
        return refuse(*node, "this may leave the loop or the kernel from inside, which is not followed");
      if (node->kind != Kind::Jump)
        continue;
      const RoleNode *target = targetOf(*node);
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

  const RoleNode *targetOf(const RoleNode &jump) const {
    for (const RoleNode *at = jump.parent; at; at = at->parent)
      if (at->kind == Kind::Loop)
        return at;
    return nullptr;
  }

  /// The branch that decides about the jump.
  const RoleNode *nearestHead(const RoleNode &jump) const {
    for (const RoleNode *at = jump.parent; at; at = at->parent)
      if (at->kind == Kind::Branch)
        return at;
    return &jump;
  }

  bool mayComeAfter(const RoleNode &node, const TileLoop &loop) const {
    if (node.isIn(loop.loop))
      return true;
    for (const RoleNode *at = &node; at; at = at->parent)
      if (at->kind == Kind::Loop && loop.loop->isIn(at))
        return true;
    const SourceManager &sources = tree.study.unit.sources();
    return sources.isBeforeInTranslationUnit(node.statement->getBeginLoc(),
                                             loop.loop->statement->getBeginLoc());
  }

  bool isBetweenTurns(const RoleNode &node, const TileLoop &loop) const {
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
      for (RoleNode *each : loop.statement(i)->all())
        if (storesTo(*each, result.tiles))
          return false;
    return true;
  }

  // Slices
  // -------------------------------------------------------------------------------------------------------

  bool sliceProducer() {
    for (const TileLoop &loop : result.loops) {
      for (size_t i = loop.loadBegin; i < loop.fill; ++i)
        for (RoleNode *node : loop.statement(i)->all())
          if (storesTo(*node, result.tiles) && !produce(*node))
            return false;
      if (!produce(*loop.loop))
        return false;
    }
    for (RoleNode *jump : jumps)
      if (!produce(*jump))
        return false;
    findVarying();
    return true;
  }

  bool produce(RoleNode &node) {
    if (!result.producer.insert(&node).second)
      return true;
    if (!mayProduce(node))
      return false;
    if (node.parent && !produce(*node.parent))
      return false;
    for (const VarDecl *variable : node.reads)
      if (!produceVariable(variable, node))
        return false;
    return true;
  }

  bool produceVariable(const VarDecl *variable, const RoleNode &reader) {
    if (tree.definitions.isTracked(variable) && tree.definitions.addressEscapes(variable))
      return refuse(reader,
                    fmt::format("the load needs {}, whose address is taken, so what changes it cannot be "
                                "seen",
                                quoted(variable)));
    for (RoleNode *writer : tree.writersOf(variable)) {
      if (result.aliases.contains(writer))
        continue;
      if (!produce(*writer)) {
        if (trouble && trouble->notes.empty() && writer != &reader)
          trouble->note(tree.place(reader), fmt::format("{} is needed here to load", quoted(variable)));
        return false;
      }
    }
    return true;
  }

  bool mayProduce(const RoleNode &node) {
    const bool isStore = storesTo(node, result.tiles);
    if (const Stmt *unseen = node.unseen)
      return refuseAt(unseen, isStore
                                  ? "the load does something else besides, which producers cannot do alone"
                                  : "the load needs this, and what it does is not known");
    for (const Access *access : node.accesses) {
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
      trouble = obstacle(tree.study.unit.place(statement), why);
    return false;
  }

  bool sliceConsumer() {
    for (RoleNode *node : tree.nodes())
      if (hasEffect(*node) && !consume(*node))
        return false;
    for (const TileLoop &loop : result.loops)
      if (!consume(*loop.loop))
        return false;
    for (RoleNode *jump : jumps)
      if (!consume(*jump))
        return false;
    return true;
  }

  /// Beyond the variables it sets. What only declares tiles, or loads them, is not the consumer's.
  bool hasEffect(const RoleNode &node) const {
    if (declaresOneOf(node, result.tiles) || storesTo(node, result.tiles) || isa<NullStmt>(node.statement))
      return false;
    if (node.kind == Kind::Jump || node.kind == Kind::Barrier)
      return true;
    if (auto *declaration = dyn_cast<DeclStmt>(node.statement))
      for (const Decl *each : declaration->decls())
        if (auto *variable = dyn_cast<VarDecl>(each); !variable || !variable->hasLocalStorage())
          return true; // types, shared arrays
    const bool stores = llvm::any_of(node.accesses, [](const Access *access) {
      return access->isWrite() && access->array->space != Array::Space::Local;
    });
    if (stores)
      return true;
    // A group or a fragment that is declared and not used is no effect.
    return node.unseen && !isa<DeclStmt>(node.statement);
  }

  bool consume(RoleNode &node) {
    if (!result.consumer.insert(&node).second)
      return true;
    if (storesTo(node, result.tiles))
      return refuse(node, "this both loads the tile and sets what the computation needs",
                    "write the two apart");
    if (node.parent && !consume(*node.parent))
      return false;
    for (const VarDecl *variable : node.reads)
      for (RoleNode *writer : tree.writersOf(variable)) {
        if (isLoadedByProducer(*writer))
          return refuse(node,
                        fmt::format("{} is loaded in line {} for the tile and used here as well: it never "
                                    "goes through shared memory, and consumers do not load",
                                    quoted(variable), tree.place(*writer).line),
                        "take the value from the tile");
        if (!result.aliases.contains(writer) && !consume(*writer))
          return false;
      }
    return true;
  }

  /// Loads that differ by thread, in a turn. Bounds and the like, the same for all, both roles may load.
  bool isLoadedByProducer(const RoleNode &node) const {
    return result.producer.contains(&node) && result.loopWithLoad(&node) &&
           (node.loads(Array::Space::Global) || node.loads(Array::Space::Unknown)) &&
           result.varying.contains(&node);
  }

  // What differs from thread to thread
  // -------------------------------------------------------------------------------------------------------

  /// To a fixed point: a variable may depend on itself around a loop.
  void findVarying() {
    for (bool changed = true; changed;) {
      changed = false;
      for (const RoleNode *node : result.producer) {
        if (result.varying.contains(node))
          continue;
        bool varies = node->asksThread;
        for (const VarDecl *variable : node->reads)
          varies |= result.varyingVariables.contains(variable);
        for (const RoleNode *up = node->parent; up; up = up->parent)
          varies |= (up->kind == Kind::Branch || up->kind == Kind::Loop) && result.varying.contains(up);
        if (!varies)
          continue;
        changed = true;
        result.varying.insert(node);
        result.varyingVariables.insert(node->writes.begin(), node->writes.end());
      }
    }
  }

  bool checkVarying() {
    for (const TileLoop &loop : result.loops)
      for (const RoleNode *up = loop.loop; up; up = up->parent)
        if (result.varying.contains(up) && (up->kind == Kind::Loop || up->kind == Kind::Branch))
          return refuse(*up, "whether there is another turn differs from thread to thread");
    for (const TileLoop &loop : result.loops)
      checkBetween(loop);
    for (const RoleNode *jump : jumps)
      if (result.varying.contains(jump))
        return refuse(*nearestHead(*jump), "threads leave here one by one, and the others go on");
    for (RoleNode *node : tree.nodes()) {
      const bool isOfInterest = result.producer.contains(node) && result.varying.contains(node);
      if (!isOfInterest)
        continue;
      if (result.loopWithLoad(node))
        checkInLoad(*node);
      else if (node->kind == Kind::Leaf)
        checkSinking(*node);
    }
    return true;
  }

  /// Among statements that producers carry out thread by thread, those that are the same for all can be
  /// brought forward only if they do no more than declare.
  void checkBetween(const TileLoop &loop) {
    const auto isOfThreads = [&](RoleNode &statement) {
      return llvm::any_of(statement.all(), [&](const RoleNode *node) {
        return result.producer.contains(node) &&
               (result.varying.contains(node) || storesTo(*node, result.tiles));
      });
    };
    std::optional<size_t> first, last;
    for (size_t i = loop.loadBegin; i < loop.fill; ++i)
      if (isOfThreads(*loop.statement(i))) {
        first = first.value_or(i);
        last = i;
      }
    for (size_t i = first.value_or(0); last && i < *last; ++i) {
      const RoleNode &statement = *loop.statement(i);
      const bool isKept = result.producer.contains(&statement);
      if (isKept && !isOfThreads(*loop.statement(i)) && !isa<DeclStmt>(statement.statement) &&
          !result.onlyOneToOne)
        result.onlyOneToOne =
            obstacle(tree.place(statement),
                     "this stands among loads and is the same for all threads, so a producer can "
                     "load for one thread only");
    }
  }

  /// A load must not set what lives longer than it.
  void checkInLoad(const RoleNode &node) {
    const TileLoop &loop = *result.loopWithLoad(&node);
    for (const VarDecl *variable : node.writes)
      if (!tree.study.isInside(variable, loop.body->statement))
        needOneToOne(node, variable);
    if (!storesTo(node, result.tiles))
      return;
    for (const RoleNode *up = node.parent; up != loop.body; up = up->parent)
      if (up->kind == Kind::Branch && up->children.size() == 1)
        return result.partial.push_back(&node);
  }

  void needOneToOne(const RoleNode &node, const VarDecl *variable) {
    if (!result.onlyOneToOne)
      result.onlyOneToOne = obstacle(
          tree.place(node),
          fmt::format(
              "{} differs from thread to thread and is carried from turn to turn, so a producer can load "
              "for one thread only",
              quoted(variable)));
  }

  /// A value of the thread's that is set before the load is worked out again in each turn, for each thread:
  /// only right for what stays the same meanwhile.
  void checkSinking(RoleNode &node) {
    auto *declaration = dyn_cast<DeclStmt>(node.statement);
    const VarDecl *first = node.writes.empty() ? nullptr : *node.writes.begin();
    if (!declaration || node.parent->kind != Kind::Block) {
      if (first)
        needOneToOne(node, first);
      return;
    }
    for (const VarDecl *variable : node.writes)
      if (!tree.definitions.isNeverReassigned(variable) && !variable->getType()->isReferenceType())
        return needOneToOne(node, variable);
    for (const VarDecl *variable : node.reads)
      for (const RoleNode *writer : tree.writersOf(variable))
        if (comesLater(*writer, node))
          return needOneToOne(node, variable);
    if (node.loads(Array::Space::Global) || node.loads(Array::Space::Unknown))
      return needOneToOne(node, first); // a load in each turn is not what the author wrote
    result.sunk.insert(&node);
  }

  /// In the block that the node is a statement of, behind it.
  static bool comesLater(const RoleNode &writer, const RoleNode &node) {
    bool behind = false;
    for (const auto &sibling : node.parent->children) {
      if (behind && writer.isIn(sibling.get()))
        return true;
      behind |= sibling.get() == &node;
    }
    return false;
  }

  bool checkGlobalOrder() {
    auto order = orderOfGlobalMemory(tree, result);
    if (auto *refused = std::get_if<Diagnostic>(&order)) {
      trouble = *refused;
      return false;
    }
    result.meets = std::get<GlobalOrder>(order).meets;
    return true;
  }

  const RoleTree &tree;
  RoleSplit result;
  std::optional<Diagnostic> trouble;
  std::vector<RoleNode *> jumps;
  VariableSet aliasVariables;
};

} // namespace

std::variant<RoleSplit, Diagnostic> splitRoles(const RoleTree &tree) { return Splitter(tree).split(); }

} // namespace heddle::transform
