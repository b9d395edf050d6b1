// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From a kernel to a plan for merged threads, in four steps:
//
//   1. Tree. Statements that hold a barrier stay as structure around the others; so do uniform branches that
//   jump out
//      of the structure, and uniform loops in which merged threads read the same elements (then the work loop
//      goes inside, and the loads meet). Everything else is a leaf.
//   2. Roles. A leaf that does the same for all work items may be done once. That fails where one of its
//   variables is
//      also set by work that differs: then it is done for each item as well. Repeated until nothing changes.
//   3. Segments. Leaves between two barriers become one work loop. Work done once moves up before the loop
//   where
//      nothing in between depends on it; where it cannot, it cuts the loop in two, or joins it if nobody else
//      needs its results.
//   4. Variables. What is mentioned in one work loop only stays as it is. Else it is worked out again in each
//   (cheap,
//      never changed) or kept in an array with an element for each item.
//
// Steps 2 and 3 can show that an earlier choice was wrong (a loop's header needs a value that differs by
// item); the choice is then forbidden and planning starts again.
#include "transform/work/WorkPlan.h"

#include "analysis/CallEffects.h"
#include "source/LocalWrites.h"
#include "source/ReachingDefinitions.h"
#include "source/Unit.h"
#include "transform/InlineCalls.h"
#include "transform/MarkedText.h"
#include "transform/StatementShape.h"
#include "transform/work/BlockLoops.h"
#include "transform/work/NodeEffects.h"
#include "transform/work/UniformWork.h"

#include <clang/AST/ExprCXX.h>
#include <clang/AST/StmtCXX.h>

#include <algorithm>
#include <set>
#include <unordered_set>

using namespace clang;

namespace heddle::transform {
namespace {

using analysis::RegionNode;
using Role = PlanNode::Role;
constexpr unsigned once = PlanBody::Segment::once;

/// True where no break or continue of this loop is taken by some items only.
bool leavesTogether(const Stmt *statement, const UniformWork &uniform, bool agreed = true) {
  if (!statement)
    return true;
  if (isa<BreakStmt, ContinueStmt>(statement))
    return agreed;
  if (isLoop(statement) || isa<LambdaExpr, Expr>(statement))
    return true; // its jumps are its own; a loop's `break` inside a switch is looked at as the switch's
  if (isa<IfStmt, SwitchStmt>(statement))
    agreed &= uniform.agreeOn(statement);
  for (const Stmt *child : statement->children())
    if (!leavesTogether(child, uniform, agreed))
      return false;
  return true;
}

/// One attempt at a plan, with some choices forbidden.
class Planner {
public:
  struct Forbidden {
    std::set<const Stmt *> jam;  ///< loops that work loops must not go into
    std::set<const Stmt *> once; ///< statements to be done for each item
  };

  Planner(const analysis::KernelFacts &facts, const std::vector<Axis> &axes, const UniformWork &uniform,
          Forbidden &forbidden)
      : facts(facts), axes(axes), uniform(uniform), forbidden(forbidden), unit(facts.uniformity->unit()),
        definitions(facts.uniformity->definitions()), discarded(discardedCode(facts.kernel->function)) {}

  enum class Result { Done, Again, Refused };
  Result run() {
    findHolders(facts.regions->root());
    plan.root = addBody(facts.kernel->function->getBody(), nullptr);
    if (refused)
      return Result::Refused;
    findVariables();
    settleRoles();
    if (Result result = checkHeaders(); result != Result::Done)
      return result;
    if (!makeSegments(*plan.root))
      return Result::Again;
    findExits();
    settleVariables();
    if (refused)
      return Result::Refused;
    return Result::Done;
  }

  WorkPlan plan;
  std::optional<Diagnostic> refused;

private:
  // Step 1: the tree
  // ---------------------------------------------------------------------------------------------

  void findHolders(const RegionNode &node) {
    if (node.kind == RegionNode::Kind::Barrier || node.kind == RegionNode::Kind::Call) {
      const Stmt *at = node.kind == RegionNode::Kind::Call
                           ? static_cast<const Stmt *>(node.call)
                           : facts.regions->barriers()[node.barrier].statement;
      (node.isPartOfStatement ? partial : barrierStatements).insert(node.statement);
      if (node.kind == RegionNode::Kind::Call)
        calls[node.statement] = node.call;
      for (; at && holding.insert(at).second;)
        at = definitions.graph().parent(at);
    }
    for (const auto &child : node.children)
      findHolders(*child);
  }

  void refuse(const Stmt *where, std::string why, std::string hint = {}) {
    if (!refused)
      refused = Diagnostic{Voice::Refusal, unit.place(where), std::move(why), {}, std::move(hint)};
  }

  unsigned newId(PlanNode *node) {
    plan.nodes.push_back(node);
    return unsigned(plan.nodes.size()) - 1;
  }

  std::unique_ptr<PlanBody> addBody(const Stmt *owner, PlanNode *parent) {
    auto body = std::make_unique<PlanBody>();
    body->id = newId(nullptr);
    body->owner = owner;
    auto *compound = dyn_cast<CompoundStmt>(owner);
    body->isBraced = compound != nullptr;
    if (!compound)
      addStatement(*body, owner, parent);
    else
      for (const Stmt *statement : compound->body())
        addStatement(*body, statement, parent);
    return body;
  }

  PlanNode &addNode(PlanBody &body, Role role, const Stmt *statement, PlanNode *parent) {
    body.nodes.push_back(std::make_unique<PlanNode>());
    PlanNode &node = *body.nodes.back();
    node.role = role;
    node.id = newId(&node);
    node.statement = statement;
    node.range = wholeStatement(unit, statement);
    node.parent = parent;
    return node;
  }

  void addStatement(PlanBody &body, const Stmt *statement, PlanNode *parent) {
    if (auto *attributed = dyn_cast<AttributedStmt>(statement))
      return addStatement(body, attributed->getSubStmt(), parent);
    if (isa<NullStmt>(statement))
      return;
    if (auto *label = dyn_cast<SwitchCase>(statement); label && (holding.contains(statement) || parent)) {
      PlanNode &node = addNode(body, Role::Fixed, label, parent);
      node.range = SourceRange(label->getBeginLoc(), label->getColonLoc());
      return addStatement(body, label->getSubStmt(), parent);
    }
    if (holding.contains(statement))
      return addHolder(body, statement, parent);
    bool uniformWork = uniform.isUniformWork(statement);
    if (!uniformWork && mustBeStructure(statement))
      return addStructure(body, statement, parent);
    if (!uniformWork && isLoop(statement) && wantsJam(statement)) {
      addStructure(body, statement, parent);
      body.nodes.back()->isJammed = true;
      return;
    }
    addLeaf(body, statement, parent, uniformWork);
  }

  void addLeaf(PlanBody &body, const Stmt *statement, PlanNode *parent, bool uniformWork) {
    PlanNode &node = addNode(body, Role::Item, statement, parent);
    node.uses = Uses::of(statement);
    node.mayBeOnce = uniformWork && !forbidden.once.contains(statement) && !hasDiscarded(node);
    if (isa<BreakStmt, ContinueStmt, ReturnStmt>(statement))
      node.role = Role::Fixed;
    else if (node.mayBeOnce)
      node.role = Role::Once;
    if (node.uses.lambda)
      refuse(node.uses.lambda, "what a lambda captures cannot be told apart by work item");
    for (const Stmt *inside : node.uses.statements)
      nodeOf[inside] = &node;
  }

  /// Something in it is left out here, and nothing is known of it.
  bool hasDiscarded(const PlanNode &node) const {
    return std::any_of(discarded.begin(), discarded.end(),
                       [&](const DiscardedCode &code) { return node.uses.statements.contains(code.branch); });
  }

  void addHolder(PlanBody &body, const Stmt *statement, PlanNode *parent) {
    if (auto call = calls.find(statement); call != calls.end())
      return refuse(
          call->second,
          "there is a barrier inside the function called here, which cannot be put in the place of its "
          "call: " +
              reasonNotToInline(facts, call->second, statement).value_or("it is called in too many ways"));
    if (std::optional<BlockVote> vote = partial.contains(statement) ? votedIn(statement) : std::nullopt)
      return addVote(body, statement, parent, *vote);
    if (partial.contains(statement))
      return refuse(statement, "the barrier here is part of a larger statement, which cannot be cut there",
                    "a vote of the block can be followed where it is all of what a statement assigns");
    if (barrierStatements.contains(statement)) {
      addNode(body, Role::Fixed, statement, parent);
      return;
    }
    addStructure(body, statement, parent);
  }

  void addVote(PlanBody &body, const Stmt *statement, PlanNode *parent, const BlockVote &vote) {
    PlanNode &node = addNode(body, Role::Fixed, statement, parent);
    node.vote = vote;
    node.uses = Uses::of(statement);
    for (const Stmt *inside : node.uses.statements)
      nodeOf[inside] = &node;
  }

  void addStructure(PlanBody &body, const Stmt *statement, PlanNode *parent) {
    PlanNode &node = addNode(body, Role::Structure, statement, parent);
    for (const Stmt *part : headerOf(statement))
      node.uses.add(part);
    for (const Stmt *inside : node.uses.statements)
      nodeOf[inside] = &node;
    std::vector<const Stmt *> bodies;
    if (isa<CompoundStmt>(statement))
      bodies = {statement};
    else if (auto *branch = dyn_cast<IfStmt>(statement))
      bodies = {branch->getThen(), branch->getElse()};
    else if (auto *choice = dyn_cast<SwitchStmt>(statement))
      bodies = {choice->getBody()};
    else if (bodyOf(statement))
      bodies = {bodyOf(statement)};
    else
      return refuse(statement, "a barrier in a statement of this kind cannot be cut at");
    for (const Stmt *each : bodies)
      if (each)
        node.bodies.push_back(addBody(each, &node));
  }

  /// A branch that all items agree on and that leaves the structure around it: its jump must not end up in a
  /// work loop.
  bool mustBeStructure(const Stmt *statement) const {
    Jumps jumps = jumpsOf(statement);
    if (!jumps.leavesLoop && !(jumps.returns && facts.regions->hasBarrier()))
      return false;
    if (isa<CompoundStmt>(statement))
      return true;
    return isa<IfStmt, SwitchStmt>(statement) && uniform.agreeOn(statement);
  }

  /// A loop that all items go through together, in which several of them read the same elements, or wait for
  /// memory at the same time.
  bool wantsJam(const Stmt *loop) const {
    if (forbidden.jam.contains(loop) || isa<CXXForRangeStmt>(loop) || !uniform.agreeOn(loop) ||
        jumpsOf(loop).returns || !leavesTogether(bodyOf(loop), uniform) || hasDivergentReturn())
      return false;
    for (const Stmt *part : headerOf(loop))
      if (!uniform.isUniformWork(part))
        return false;
    Uses inside = Uses::of(loop);
    for (const analysis::Reuse &reuse : facts.reuse.all()) {
      const analysis::Access &access = facts.accesses->all()[reuse.first];
      bool isMerged = std::any_of(axes.begin(), axes.end(),
                                  [&](const Axis &axis) { return axis.dimension == reuse.dimension; });
      if (isMerged && access.kind == analysis::Access::Kind::Read &&
          inside.statements.contains(access.expression))
        return true;
    }
    return streams(facts, loop);
  }

  /// Some items may be gone before others: they cannot go through loops side by side without asking.
  bool hasDivergentReturn() const {
    bool found = false;
    source::forEachEvaluated(facts.kernel->function->getBody(), [&](const Stmt *statement) {
      if (isa<IfStmt, SwitchStmt>(statement) || isLoop(statement))
        found |= !uniform.agreeOn(statement) && jumpsOf(statement).returns;
      return !found && !isa<Expr>(statement);
    });
    return found;
  }

  // Step 2: roles
  // ------------------------------------------------------------------------------------------------

  void addVariable(const VarDecl *variable, PlanNode *declaredBy) {
    if (!variable->hasLocalStorage() || variable->hasAttr<CUDASharedAttr>())
      return;
    index[variable] = unsigned(variables.size());
    variables.push_back({});
    variables.back().variable = variable;
    variables.back().declaredBy = declaredBy;
  }

  void findVariables() {
    for (const ParmVarDecl *parameter : facts.kernel->function->parameters())
      addVariable(parameter, nullptr);
    for (PlanNode *node : plan.nodes) {
      if (!node)
        continue;
      std::vector<const Stmt *> places = {node->statement};
      if (node->role == Role::Structure)
        places = headerOf(node->statement);
      for (const Stmt *place : places)
        if (auto *declarations = dyn_cast_or_null<DeclStmt>(place))
          for (const Decl *declaration : declarations->decls())
            if (auto *variable = dyn_cast<VarDecl>(declaration))
              addVariable(variable, node);
    }
  }

  /// Some work that differs by item gives the variable a value.
  bool isSetByItems(const ItemVariable &entry) const {
    const VarDecl *variable = entry.variable;
    if (analysis::groupKind(variable->getType()) != analysis::GroupKind::None)
      return false; // a handle that is the same for all; barriers need it
    if (!definitions.isTracked(variable))
      return entry.declaredBy && entry.declaredBy->role == Role::Item;
    if (definitions.addressEscapes(variable))
      return true;
    for (const source::Definition *definition : definitions.definitionsOf(variable)) {
      // `int m, e;` gives neither a value: one may be counted by a loop of the structure, the other by items.
      if (definition->kind == source::Definition::Kind::Uninitialized)
        continue;
      if (const PlanNode *node = setBy(*definition, entry); node && node->role == Role::Item)
        return true;
    }
    return false;
  }

  /// The statement that makes a definition; null for what a parameter begins with.
  const PlanNode *setBy(const source::Definition &definition, const ItemVariable &entry) const {
    using Kind = source::Definition::Kind;
    // The flow graph takes `int a, b;` apart: its statements are not those of the text.
    if (definition.kind == Kind::Declaration || definition.kind == Kind::Uninitialized)
      return entry.declaredBy;
    auto node = nodeOf.find(definition.statement);
    return node == nodeOf.end() ? nullptr : node->second;
  }

  bool mentionsItemVariable(const PlanNode &node) const {
    for (const DeclRefExpr *reference : node.uses.locals)
      if (auto at = index.find(cast<VarDecl>(reference->getDecl())); at != index.end() && isItem[at->second])
        return true;
    if (auto *declarations = dyn_cast<DeclStmt>(node.statement); declarations && node.bodies.empty())
      for (const Decl *declaration : declarations->decls())
        if (auto *variable = dyn_cast<VarDecl>(declaration))
          if (auto at = index.find(variable); at != index.end() && isItem[at->second])
            return true;
    return false;
  }

  void settleRoles() {
    isItem.assign(variables.size(), false);
    for (bool changed = true; changed;) {
      changed = false;
      for (size_t i = 0; i < variables.size(); ++i)
        if (!isItem[i] && isSetByItems(variables[i]))
          isItem[i] = changed = true;
      for (PlanNode *node : plan.nodes)
        if (node && node->role == Role::Once && mentionsItemVariable(*node)) {
          node->role = Role::Item;
          changed = true;
        }
    }
  }

  /// A variable that the structure's header declares and items set: it cannot become an array there.
  const VarDecl *itemsOwn(const PlanNode &structure) const {
    for (size_t i = 0; i < variables.size(); ++i)
      if (isItem[i] && variables[i].declaredBy == &structure)
        return variables[i].variable;
    return nullptr;
  }

  // What the structure itself evaluates must be the same for all items, and be set by nobody else.
  Result checkHeaders() {
    for (PlanNode *node : plan.nodes) {
      if (node && node->vote) // all items' votes are asked for at once
        if (auto at = index.find(node->vote->vote); at != index.end() && isItem[at->second])
          variables[at->second].isVoted = true;
      if (!node || node->role != Role::Structure)
        continue;
      bool usesIndex =
          std::any_of(node->uses.builtins.begin(), node->uses.builtins.end(), [&](const auto &use) {
            return use.what.kind == analysis::ThreadBuiltin::Kind::ThreadIdx;
          });
      const DeclRefExpr *changed = nullptr;
      for (const DeclRefExpr *reference : node->uses.locals) {
        auto at = index.find(cast<VarDecl>(reference->getDecl()));
        if (at == index.end() || !isItem[at->second])
          continue;
        source::ParentOf parentOf = [&](const Stmt *s) { return definitions.graph().parent(s); };
        bool onlyRead = source::mentionOf(reference, parentOf) == source::Mention::Read;
        if (node->isJammed || variables[at->second].declaredBy == node || !onlyRead)
          changed = reference;
        else
          variables[at->second].inHeader = true;
      }
      const VarDecl *own = itemsOwn(*node);
      if (!usesIndex && !changed && !own)
        continue;
      if (node->isJammed) {
        forbidden.jam.insert(node->statement);
        return Result::Again;
      }
      if (!usesIndex && !changed) {
        refuse(node->statement,
               fmt::format("'{}' is declared by the loop or branch around a barrier, and set by work that "
                           "differs by thread",
                           own->getNameAsString()),
               "declare it before");
        return Result::Refused;
      }
      const Stmt *where = changed ? static_cast<const Stmt *>(changed) : headerOf(node->statement).back();
      refuse(where,
             changed ? fmt::format("'{}' is set by work that differs by thread, and decides about a barrier",
                                   changed->getDecl()->getNameAsString())
                     : "the condition around a barrier is worked out from the thread's index");
      return Result::Refused;
    }
    return Result::Done;
  }

  // Step 3: segments
  // ---------------------------------------------------------------------------------------------

  Variables writtenBy(const PlanNode &node) const {
    Variables found;
    for (const ItemVariable &entry : variables) {
      if (entry.declaredBy == &node)
        found.insert(entry.variable);
      if (definitions.isTracked(entry.variable))
        for (const source::Definition *definition : definitions.definitionsOf(entry.variable))
          if (setBy(*definition, entry) == &node)
            found.insert(entry.variable);
    }
    return found;
  }

  /// The variables it sets are mentioned only in the body's statements from `position` up to the next
  /// barrier.
  bool isOfInterestOnlyTo(const PlanNode &node, const PlanBody &body, size_t position) const {
    if (jumpsOf(node.statement).any())
      return false;
    std::set<const PlanNode *> near;
    for (size_t i = 0; i < body.nodes.size(); ++i) {
      bool cuts = body.nodes[i]->role == Role::Structure || body.nodes[i]->role == Role::Fixed;
      if (cuts && i > position)
        break;
      if (cuts)
        near.clear();
      else
        near.insert(body.nodes[i].get());
    }
    const Variables writes = writtenBy(node);
    for (const PlanNode *other : plan.nodes)
      if (other && !near.contains(other) && meet(writes, mentionedBy(*other)))
        return false;
    return true;
  }

  bool makeSegments(PlanBody &body) {
    std::vector<PlanNode *> open;
    auto close = [&] {
      if (open.empty())
        return;
      unsigned number = unsigned(plan.groups.size());
      plan.groups.push_back({open, open.front()->parent, false, false, false});
      for (PlanNode *node : open)
        node->group = number;
      body.segments.push_back({number, std::move(open)});
      open.clear();
    };
    for (size_t i = 0; i < body.nodes.size(); ++i) {
      PlanNode *node = body.nodes[i].get();
      if (node->role == Role::Item) {
        open.push_back(node);
        continue;
      }
      if (node->role == Role::Once &&
          !mayMoveBefore(*node, open, facts, [&](const PlanNode &each) { return writtenBy(each); })) {
        if (isOfInterestOnlyTo(*node, body, i)) {
          forbidden.once.insert(node->statement);
          return false;
        }
        close();
      } else if (node->role != Role::Once) {
        close();
      }
      body.segments.push_back({once, {node}});
      for (auto &inner : node->bodies)
        if (!makeSegments(*inner))
          return false;
    }
    close();
    return true;
  }

  // Returns
  // ------------------------------------------------------------------------------------------------------

  static bool isInLoop(const PlanNode *structure) {
    for (; structure; structure = structure->parent)
      if (isLoop(structure->statement))
        return true;
    return false;
  }

  /// The work loop that nothing follows at the kernel's end but a return.
  unsigned lastGroup() const {
    const auto &segments = plan.root->segments;
    for (size_t i = segments.size(); i-- > 0;)
      if (segments[i].group != once || !isa<ReturnStmt>(segments[i].nodes.front()->statement))
        return segments[i].group;
    return once;
  }

  void findExits() {
    bool seen = false;
    for (size_t i = 0; i < plan.groups.size(); ++i) {
      WorkPlan::Group &group = plan.groups[i];
      group.isLast = !group.parent && lastGroup() == i;
      bool returns = std::any_of(group.nodes.begin(), group.nodes.end(),
                                 [](const PlanNode *node) { return !node->uses.returns.empty(); });
      group.checksActive = seen;
      group.exits = returns && !group.isLast;
      if (group.exits && isInLoop(group.parent))
        markLoop(group.parent);
      seen |= group.exits;
    }
    plan.needsActive = seen;
    for (const ItemVariable &entry : variables)
      if (seen && entry.inHeader)
        refuse(
            entry.declaredBy ? entry.declaredBy->statement : facts.kernel->function->getBody(),
            fmt::format("'{}' decides about a barrier, and some threads may have returned before it is set",
                        entry.variable->getNameAsString()));
  }

  /// In a loop that items return from, work loops before that place meet them again in the next iteration.
  void markLoop(PlanNode *structure) {
    PlanNode *outermost = nullptr;
    for (PlanNode *at = structure; at; at = at->parent)
      if (isLoop(at->statement))
        outermost = at;
    for (WorkPlan::Group &group : plan.groups)
      for (PlanNode *at = group.parent; at; at = at->parent)
        group.checksActive |= at == outermost;
  }

  // Step 4: variables
  // --------------------------------------------------------------------------------------------

  /// True for `float t;` where each work loop that reads it has set it before, in the same iteration of what
  /// is around it: nothing goes from one to another. As no read sees the variable as declared, a value is set
  /// on every way from the work loop's beginning to the read.
  bool isSetWhereRead(const VarDecl *variable) const {
    if (!definitions.isTracked(variable) || definitions.addressEscapes(variable) || variable->getInit() ||
        isInDiscarded(variable))
      return false;
    for (const DeclRefExpr *reference : definitions.referencesTo(variable)) {
      auto reader = nodeOf.find(reference);
      if (reader == nodeOf.end() || reader->second->role != Role::Item)
        return false;
      if (!definitions.isRead(reference))
        continue;
      for (const source::Definition *definition : definitions.reaching(reference)) {
        auto setter = nodeOf.find(definition->statement);
        if (definition->kind == source::Definition::Kind::Uninitialized || setter == nodeOf.end() ||
            setter->second->group != reader->second->group)
          return false;
      }
    }
    return true;
  }

  /// No other variable has its name, or a name that its value is made of: it can be written down in any
  /// block.
  bool isReadAlikeEverywhere(const VarDecl *variable) const {
    auto isOnlyOne = [&](const VarDecl *wanted) {
      return std::none_of(variables.begin(), variables.end(), [&](const ItemVariable &entry) {
        return entry.variable != wanted && entry.variable->getName() == wanted->getName();
      });
    };
    if (!isOnlyOne(variable))
      return false;
    if (!variable->getInit())
      return true;
    Uses value = Uses::of(variable->getInit());
    return std::all_of(value.locals.begin(), value.locals.end(), [&](const DeclRefExpr *reference) {
      return isOnlyOne(cast<VarDecl>(reference->getDecl()));
    });
  }

  bool isInDiscarded(const VarDecl *variable) const {
    for (const DiscardedCode &code : discarded)
      for (const DeclRefExpr *reference : code.uses.locals)
        if (reference->getDecl()->getLocation() == variable->getLocation())
          return true;
    return false;
  }

  /// The mentions in what variables of the statement begin with, where those are told apart by item: they
  /// count where the variable is worked out, which may be elsewhere.
  std::unordered_set<const Stmt *> firstValuesIn(const PlanNode &node) const {
    std::unordered_set<const Stmt *> found;
    if (auto *declarations = dyn_cast<DeclStmt>(node.statement))
      for (const Decl *declaration : declarations->decls())
        if (auto at = index.find(dyn_cast<VarDecl>(declaration)); at != index.end() && isItem[at->second])
          if (const Expr *value = variables[at->second].variable->getInit())
            found.merge(Uses::of(value).statements);
    return found;
  }

  using GroupsOfVariables = std::vector<std::set<unsigned>>; ///< work loops that mention each

  void addMentions(const std::vector<const DeclRefExpr *> &references, const std::set<unsigned> &where,
                   GroupsOfVariables &groups) const {
    for (const DeclRefExpr *reference : references)
      if (auto at = index.find(cast<VarDecl>(reference->getDecl())); at != index.end())
        groups[at->second].insert(where.begin(), where.end());
  }

  /// Of all statements but what variables begin with.
  void addMentionsOfItems(GroupsOfVariables &groups) const {
    for (const PlanNode *node : plan.nodes) {
      if (!node || node->role != Role::Item)
        continue;
      std::unordered_set<const Stmt *> later = firstValuesIn(*node);
      std::vector<const DeclRefExpr *> references = node->uses.locals;
      std::erase_if(references, [&](const DeclRefExpr *reference) { return later.contains(reference); });
      addMentions(references, {node->group}, groups);
    }
  }

  void settleVariables() {
    GroupsOfVariables groups(variables.size());
    addMentionsOfItems(groups);
    for (const DiscardedCode &code : discarded)
      for (const DeclRefExpr *reference : code.uses.locals)
        for (size_t i = 0; i < variables.size(); ++i)
          if (auto node = nodeOf.find(code.branch);
              node != nodeOf.end() &&
              variables[i].variable->getLocation() == reference->getDecl()->getLocation())
            groups[i].insert(node->second->group);
    for (size_t i = variables.size(); i-- > 0;) {
      ItemVariable &entry = variables[i];
      entry.declaredIn = entry.declaredBy ? entry.declaredBy->group : once;
      if (!isItem[i])
        continue;
      bool elsewhere = entry.inHeader || entry.isVoted;
      for (unsigned group : groups[i])
        elsewhere |= entry.declaredBy && group != entry.declaredIn;
      // A parameter comes from outside: what a work loop in a loop makes of it is there in the next
      // iteration.
      elsewhere |= !entry.declaredBy && groups[i].size() > 1;
      for (unsigned group : groups[i])
        elsewhere |= !entry.declaredBy && isInLoop(plan.groups[group].parent);
      if (elsewhere)
        entry.keep = !entry.inHeader && !entry.isVoted && entry.declaredBy &&
                             (uniform.isCheapAndStable(entry.variable) || isSetWhereRead(entry.variable)) &&
                             isReadAlikeEverywhere(entry.variable)
                         ? Keep::Recompute
                         : Keep::Array;
      // Only earlier variables are in its first value, and those are settled after it. What a
      // header mentions is its own business.
      if (entry.declaredIn != once && entry.variable->getInit())
        addMentions(Uses::of(entry.variable->getInit()).locals,
                    entry.keep == Keep::Recompute ? groups[i] : std::set<unsigned>{entry.declaredIn}, groups);
      if (entry.keep == Keep::Array && entry.variable->getType()->isReferenceType())
        refuse(
            entry.declaredBy->statement,
            fmt::format("the reference '{}' is used on both sides of a barrier, and what it refers to is not "
                        "known there",
                        entry.variable->getNameAsString()));
    }
    for (size_t i = 0; i < variables.size(); ++i)
      if (isItem[i]) {
        variables[i].groups.assign(groups[i].begin(), groups[i].end());
        plan.variables.push_back(variables[i]);
      }
  }

  const analysis::KernelFacts &facts;
  const std::vector<Axis> &axes;
  const UniformWork &uniform;
  Forbidden &forbidden;
  const source::Unit &unit;
  const source::ReachingDefinitions &definitions;
  const std::vector<DiscardedCode> discarded;

  std::unordered_set<const Stmt *> holding, partial, barrierStatements;
  std::unordered_map<const Stmt *, const CallExpr *> calls;
  std::unordered_map<const Stmt *, PlanNode *> nodeOf;
  std::vector<ItemVariable> variables; ///< all locals of the structure, and parameters
  std::unordered_map<const VarDecl *, unsigned> index;
  std::vector<bool> isItem;
};

} // namespace

const ItemVariable *WorkPlan::find(const VarDecl *variable) const {
  for (const ItemVariable &entry : variables)
    if (entry.variable == variable)
      return &entry;
  return nullptr;
}

std::variant<WorkPlan, Diagnostic> planWork(const analysis::KernelFacts &facts,
                                            const std::vector<Axis> &axes) {
  bool mergesBlocks =
      std::any_of(axes.begin(), axes.end(), [](const Axis &axis) { return axis.dimension == Axis::grid; });
  UniformWork uniform(facts, mergesBlocks ? analysis::Level::Grid : analysis::Level::Block);
  Planner::Forbidden forbidden;
  for (;;) {
    Planner planner(facts, axes, uniform, forbidden);
    switch (planner.run()) {
    case Planner::Result::Done: return std::move(planner.plan);
    case Planner::Result::Refused: return *planner.refused;
    case Planner::Result::Again: break; // with one more choice forbidden
    }
  }
}

} // namespace heddle::transform
