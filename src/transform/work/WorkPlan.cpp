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
// Where the head of a loop or branch around a barrier does work of step 2's kind for each item, there is no
// plan yet: the head must be taken apart first (HeadWork).
//
// Steps 2 and 3 can show that an earlier choice was wrong (a loop's header needs a value that differs by
// item); the choice is then forbidden and planning starts again.
#include "transform/work/WorkPlan.h"

#include "analysis/CallEffects.h"
#include "analysis/StatementShape.h"
#include "source/LocalWrites.h"
#include "source/ReachingDefinitions.h"
#include "source/Unit.h"
#include "transform/InlineCalls.h"
#include "transform/MarkedText.h"
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

using analysis::bodyOf;
using analysis::breaksOut;
using analysis::continuesOut;
using analysis::DiscardedCode;
using analysis::discardedCode;
using analysis::headerOf;
using analysis::isLoop;
using analysis::Jumps;
using analysis::jumpsOf;
using analysis::Uses;

namespace {

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
    std::set<const Stmt *> leaf; ///< branches with jumps that must not get into a work loop
  };

  Planner(const analysis::KernelFacts &facts, const std::vector<Axis> &axes, const UniformWork &uniform,
          Forbidden &forbidden)
      : facts(facts), axes(axes), uniform(uniform), forbidden(forbidden), unit(facts.uniformity->unit()),
        definitions(facts.uniformity->definitions()), discarded(discardedCode(facts.kernel->function)) {}

  enum class Result { Done, Again, First, Refused };
  Result run() {
    findHolders();
    plan.root = addBody(facts.kernel->function->getBody(), nullptr);
    if (refused)
      return Result::Refused;
    findVariables();
    if (!settleRoles())
      return Result::Again;
    if (Result result = checkHeaders(); result != Result::Done)
      return result;
    if (!makeSegments(*plan.root))
      return Result::Again;
    findExits();
    checkJumps();
    settleVariables();
    if (refused)
      return Result::Refused;
    return needed.nameless.empty() ? Result::Done : Result::First;
  }

  WorkPlan plan;
  std::optional<Diagnostic> refused;
  NeededFirst needed;

private:
  // Step 1: the tree
  // ---------------------------------------------------------------------------------------------

  void findHolders() {
    for (const analysis::KernelNode *node : facts.tree->nodes())
      for (const analysis::BarrierPoint &point : node->barriers) {
        (point.isPartOfStatement ? partial : barrierStatements).insert(point.statement);
        if (point.call)
          calls[point.statement] = point.call;
        for (const Stmt *at = point.at; at && holding.insert(at).second;)
          at = definitions.graph().parent(at);
      }
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
    if ((!uniformWork || forbidden.leaf.contains(statement)) && mustBeStructure(statement))
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
    if (node.uses.lambda && holdsCapture(node))
      refuse(node.uses.lambda, "what a lambda captures cannot be told apart by work item");
    for (const Stmt *inside : node.uses.statements)
      nodeOf[inside] = &node;
  }

  /// A lambda in it holds something. One that does not is a function, wherever it is written.
  static bool holdsCapture(const PlanNode &node) {
    return std::ranges::any_of(node.uses.statements, [](const Stmt *statement) {
      auto *lambda = dyn_cast<LambdaExpr>(statement);
      return lambda && lambda->capture_begin() != lambda->capture_end();
    });
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
    else if (isa<CXXForRangeStmt>(statement))
      return needed.heads.push_back({statement});
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
    if (!leavesTogether(statement, uniform))
      return false; // items leave one by one: each by a jump in its work loop
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
      return false;                       // a handle that is the same for all; barriers need it
    if (!definitions.isTracked(variable)) // a reference
      return entry.declaredBy && entry.declaredBy->role != Role::Once;
    if (definitions.addressEscapes(variable))
      return true;
    for (const source::Definition *definition : definitions.definitionsOf(variable)) {
      // `int m, e;` gives neither a value: one may be counted by a loop of the structure, the other by items.
      if (definition->kind == source::Definition::Kind::Uninitialized)
        continue;
      const PlanNode *node = setBy(*definition, entry);
      if (node &&
          (node->role == Role::Item || (node->role == Role::Structure && !uniform.isUniform(*definition))))
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
    if (bindsItemVariable(node))
      return true;
    if (auto *declarations = dyn_cast<DeclStmt>(node.statement); declarations && node.bodies.empty())
      for (const Decl *declaration : declarations->decls())
        if (auto *variable = dyn_cast<VarDecl>(declaration))
          if (auto at = index.find(variable); at != index.end() && isItem[at->second])
            return true;
    return false;
  }

  /// False where a branch that all items agree on, and that jumps, would have to be done for each of them:
  /// its condition reads what each has of its own.
  bool settleRoles() {
    isItem.assign(variables.size(), false);
    for (bool changed = true; changed;) {
      changed = false;
      for (size_t i = 0; i < variables.size(); ++i)
        if (!isItem[i] && isSetByItems(variables[i]))
          isItem[i] = changed = true;
      for (PlanNode *node : plan.nodes)
        if (node && node->role == Role::Once && mentionsItemVariable(*node)) {
          if (mustBeStructure(node->statement) && forbidden.leaf.insert(node->statement).second)
            return false;
          node->role = Role::Item;
          changed = true;
        }
    }
    return true;
  }

  /// What the head of a structure does for each item: it declares or changes a variable of which each has its
  /// own, or has an effect on something else.
  HeadWork headWorkOf(const PlanNode &structure) const {
    HeadWork work{structure.statement};
    for (size_t i = 0; i < variables.size(); ++i)
      if (isItem[i] && variables[i].declaredBy == &structure)
        work.variables.insert(variables[i].variable);
    source::ParentOf parentOf = [&](const Stmt *s) { return definitions.graph().parent(s); };
    for (const DeclRefExpr *reference : structure.uses.locals)
      if (isItemVariable(reference) && source::mentionOf(reference, parentOf) != source::Mention::Read)
        work.variables.insert(cast<VarDecl>(reference->getDecl()));
    for (const Stmt *part : headerOf(structure.statement))
      if (const Stmt *effect = effectBeyondLocals(unit, part))
        work.effects.insert(effect);
    return work;
  }

  bool bindsItemVariable(const PlanNode &node) const {
    return std::ranges::any_of(node.uses.boundVariables(), [&](const VarDecl *whole) {
      auto at = index.find(whole);
      return at != index.end() && isItem[at->second];
    });
  }

  bool isItemVariable(const DeclRefExpr *reference) const {
    auto at = index.find(cast<VarDecl>(reference->getDecl()));
    return at != index.end() && isItem[at->second];
  }

  static bool usesThreadIndex(const PlanNode &node) {
    return std::ranges::any_of(node.uses.builtins, [](const auto &use) {
      return use.what.kind == analysis::ThreadBuiltin::Kind::ThreadIdx;
    });
  }

  /// All items' votes are asked for at once.
  void noteVotes() {
    for (PlanNode *node : plan.nodes)
      if (node && node->vote)
        if (auto at = index.find(node->vote->vote); at != index.end() && isItem[at->second])
          variables[at->second].isVoted = true;
  }

  // What the structure itself evaluates must be the same for all items, and be set by nobody else.
  Result checkHeaders() {
    noteVotes();
    for (PlanNode *node : plan.nodes) {
      if (!node || node->role != Role::Structure)
        continue;
      HeadWork own = headWorkOf(*node);
      const bool mentionsItems =
          std::ranges::any_of(node->uses.locals,
                              [&](const DeclRefExpr *reference) { return isItemVariable(reference); }) ||
          bindsItemVariable(*node);
      if (node->isJammed) {
        if (own.isEmpty() && !mentionsItems && !usesThreadIndex(*node))
          continue;
        forbidden.jam.insert(node->statement);
        return Result::Again;
      }
      if (!own.isEmpty()) {
        needed.heads.push_back(std::move(own));
        continue;
      }
      if (usesThreadIndex(*node)) {
        refuse(node->statement, "the condition around a barrier is computed from the thread's index");
        return Result::Refused;
      }
      for (const DeclRefExpr *reference : node->uses.locals)
        if (isItemVariable(reference)) // all items agree on what is read here
          variables[index.at(cast<VarDecl>(reference->getDecl()))].inHeader = true;
      for (const VarDecl *whole : node->uses.boundVariables())
        if (auto at = index.find(whole); at != index.end() && isItem[at->second])
          variables[at->second].inHeader = true;
    }
    return needed.heads.empty() ? Result::Done : Result::First;
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

  /// An item that leaves an iteration, or a switch, by itself goes on with the next item of its work loop. So
  /// nothing may lie between that work loop and the end of what it leaves.
  void checkJumps() {
    for (const PlanNode *node : plan.nodes) {
      if (!node || node->role != Role::Item)
        continue;
      auto isSwitch = [](const Stmt *around) { return isa<SwitchStmt>(around); };
      const bool mayBreak = breaksOut(node->statement).empty() || isLastIn(*node, isSwitch, true);
      const bool mayContinue = continuesOut(node->statement).empty() || isLastIn(*node, isLoop, false);
      if (!mayBreak || !mayContinue)
        refuse(node->statement,
               "threads leave one by one here, and further work of the block follows that they "
               "would have left out");
    }
  }

  /// Behind the node's work loop nothing is done up to the end of the innermost structure of a kind, which a
  /// jump leaves.
  template <class IsTarget> bool isLastIn(const PlanNode &node, const IsTarget &isTarget, bool breaks) const {
    unsigned group = node.group;
    for (const PlanNode *at = &node; at->parent; at = at->parent) {
      if (!endsBody(*at, group, breaks))
        return false;
      if (isTarget(at->parent->statement))
        return true;
      if (breaks && isLoop(at->parent->statement))
        return false;
      group = once;
    }
    return false;
  }

  /// The work loop (or the structure itself) is the last thing in its body but for a jump of the same kind.
  static bool endsBody(const PlanNode &node, unsigned group, bool breaks) {
    for (const auto &body : node.parent->bodies)
      for (size_t i = 0; i < body->segments.size(); ++i) {
        const PlanBody::Segment &segment = body->segments[i];
        if (std::ranges::find(segment.nodes, &node) == segment.nodes.end() &&
            (group == once || segment.group != group))
          continue;
        if (i + 1 == body->segments.size())
          return true;
        const Stmt *next = body->segments[i + 1].nodes.front()->statement;
        return breaks ? isa<BreakStmt>(next) : isa<ContinueStmt>(next);
      }
    return false;
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

  void addMentionsByBindings(const Uses &uses, const std::set<unsigned> &where,
                             GroupsOfVariables &groups) const {
    for (const VarDecl *whole : uses.boundVariables())
      if (auto at = index.find(whole); at != index.end())
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
      addMentionsByBindings(node->uses, {node->group}, groups);
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
      if (entry.declaredIn != once && entry.variable->getInit()) {
        const Uses value = Uses::of(entry.variable->getInit());
        const std::set<unsigned> where =
            entry.keep == Keep::Recompute ? groups[i] : std::set<unsigned>{entry.declaredIn};
        addMentions(value.locals, where, groups);
        addMentionsByBindings(value, where, groups);
      }
    }
    keepWhatIsPointedTo();
    for (size_t i = 0; i < variables.size(); ++i) {
      if (isItem[i] && variables[i].keep != Keep::Plain && isa<DecompositionDecl>(variables[i].variable))
        refuse(variables[i].declaredBy->statement,
               "the names of a structured binding are used on both sides of a barrier",
               "declare a variable for each part");
      if (isItem[i] && variables[i].keep == Keep::Array)
        chooseStorage(variables[i]);
      if (isItem[i] && variables[i].keep != Keep::Plain)
        nameTypeOf(variables[i]);
    }
    for (size_t i = 0; i < variables.size(); ++i)
      if (isItem[i]) {
        variables[i].groups.assign(groups[i].begin(), groups[i].end());
        plan.variables.push_back(variables[i]);
      }
  }

  /// A pointer or reference that goes from one work loop to another may point to a variable: it must live as
  /// long.
  void keepWhatIsPointedTo() {
    bool mayPoint = false;
    for (size_t i = 0; i < variables.size(); ++i)
      if (isItem[i] && variables[i].keep == Keep::Array) {
        const QualType type = variables[i].variable->getType();
        mayPoint |= !type->isArithmeticType() && !type->isEnumeralType();
      }
    for (size_t i = 0; mayPoint && i < variables.size(); ++i) {
      const VarDecl *variable = variables[i].variable;
      const bool isNamedByOthers =
          (definitions.isTracked(variable) && definitions.addressEscapes(variable)) || isReferredTo(variable);
      if (isItem[i] && isNamedByOthers)
        variables[i].keep = Keep::Array;
    }
  }

  /// A reference that is kept is bound to it, or to a part of it.
  bool isReferredTo(const VarDecl *variable) const {
    return std::ranges::any_of(variables, [&](const ItemVariable &entry) {
      const Expr *value = entry.variable->getInit();
      const bool isKept = entry.keep == Keep::Array && entry.variable->getType()->isReferenceType() && value;
      const std::optional<source::LocalPlace> place = isKept ? source::localPlace(value) : std::nullopt;
      return place && place->variable == variable;
    });
  }

  void chooseStorage(ItemVariable &entry) {
    const VarDecl *variable = entry.variable;
    const Stmt *where = entry.declaredBy ? entry.declaredBy->statement : facts.kernel->function->getBody();
    const std::string name = variable->getNameAsString();
    const QualType type = variable->getType();
    if (type->isReferenceType()) {
      const bool isBound = variable->getInit() && variable->getInit()->isLValue() &&
                           !isa<ExprWithCleanups, MaterializeTemporaryExpr>(variable->getInit());
      if (!isBound || !variable->getType()->isLValueReferenceType())
        refuse(where,
               fmt::format("the reference '{}' is used on both sides of a barrier and keeps a temporary "
                           "object alive",
                           name));
      entry.storage = ItemStorage::Pointers;
      return;
    }
    const CXXRecordDecl *record = type->getBaseElementTypeUnsafe()->getAsCXXRecordDecl();
    if (!record || isPlainObject(record, type.isConstQualified()))
      return;
    if (!record->hasTrivialDestructor())
      return refuse(where,
                    fmt::format("'{}' lives across a barrier and has a destructor: in an array of one object "
                                "for each thread it would not run where the thread's own does",
                                name),
                    "end its life before the barrier, in a block of its own");
    if (type->isArrayType())
      return refuse(where, fmt::format("the array '{}' lives across a barrier, and its objects are made by "
                                       "constructors that may have effects",
                                       name));
    if (!entry.declaredBy)
      return refuse(
          where,
          fmt::format("the parameter '{}' lives across a barrier, and copying it may have effects", name));
    entry.storage = ItemStorage::Slots;
  }

  /// `struct { int a, b; } pair;` and the like cannot be declared again as they stand.
  void nameTypeOf(const ItemVariable &entry) {
    auto *declarations = entry.declaredBy ? dyn_cast<DeclStmt>(entry.declaredBy->statement) : nullptr;
    const bool definesType = declarations && std::ranges::any_of(declarations->decls(), [](const Decl *each) {
                               auto *tag = dyn_cast<TagDecl>(each);
                               return tag && tag->isThisDeclarationADefinition();
                             });
    if (definesType)
      needed.nameless.push_back(declarations);
  }

  /// Nothing can tell an object that is made and assigned to from one that is made with its value.
  static bool isPlainObject(const CXXRecordDecl *record, bool isConst) {
    const CXXConstructorDecl *byDefault = nullptr;
    for (const CXXConstructorDecl *each : record->ctors())
      if (each->isDefaultConstructor() && !each->isDeleted())
        byDefault = each;
    const bool isMadeFreely = record->hasTrivialDefaultConstructor() ||
                              (byDefault && byDefault->isConstexpr() && byDefault->getAccess() == AS_public);
    const bool isAssigned = record->hasSimpleCopyAssignment() || record->hasSimpleMoveAssignment() ||
                            !record->hasUserDeclaredCopyAssignment();
    const bool asksForConst =
        isConst && std::ranges::any_of(record->methods(), [](const CXXMethodDecl *method) {
          return !method->isImplicit() && !isa<CXXConstructorDecl>(method) && !method->isConst() &&
                 !method->isStatic();
        });
    return isMadeFreely && isAssigned && record->isTriviallyCopyable() && !hasConstMember(record) &&
           !asksForConst;
  }

  static bool hasConstMember(const CXXRecordDecl *record) {
    return std::ranges::any_of(record->fields(), [](const FieldDecl *field) {
      const QualType type = field->getType();
      const CXXRecordDecl *inner = type->getBaseElementTypeUnsafe()->getAsCXXRecordDecl();
      return type.isConstQualified() || type->isReferenceType() ||
             type->getBaseElementTypeUnsafe()->isReferenceType() || (inner && hasConstMember(inner));
    });
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

std::variant<WorkPlan, Diagnostic, NeededFirst> planWork(const analysis::KernelFacts &facts,
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
    case Planner::Result::First: return std::move(planner.needed);
    case Planner::Result::Again: break; // with one more choice forbidden
    }
  }
}

} // namespace heddle::transform
