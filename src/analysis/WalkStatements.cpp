// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The statement half of the symbolic walk: order of events, guards, joins of branches.
#include "analysis/Barriers.h"
#include "analysis/Execution.h"
#include "analysis/Order.h"
#include "analysis/SymbolicWalk.h"
#include "source/FlowGraph.h"

#include <clang/AST/PrettyPrinter.h>

using namespace clang;

namespace heddle::analysis {

/// A generated kernel of 20,000 lines has about 400,000 sub-expressions. Beyond this the walk stops: what
/// follows calls inside calls would otherwise take time without bound.
static constexpr unsigned maxSteps = 3'000'000;

SymbolicWalk::SymbolicWalk(Accesses &accesses, const source::Kernel &aKernel)
    : result(accesses), kernel(aKernel), unit(*aKernel.unit), context(aKernel.unit->context()),
      symbols(*accesses.table) {}

void SymbolicWalk::run() {
  sequence = result.root.get();
  frames.push_back(Frame{.function = kernel.function});
  if (const Stmt *body = kernel.function->getBody())
    source::withDeepStack([&] {
      walk(body);
      noteHiddenCode();
    });
  std::vector<unsigned> renumbered = mergeRegions(*result.root, result.regionCount, result.regionCount);
  for (Access &access : result.accessList)
    access.region = renumbered[access.region];
}

/// Constructors, destructors and calls that the language makes are not followed. Where they reach memory, and
/// where nothing is known of a call, the list of accesses is not complete.
void SymbolicWalk::noteHiddenCode() {
  using How = Executed::How;
  const Reach reach = Reach::of(kernel.function, unit);
  auto placeIn = [&](const Reached &reached) {
    return reached.inKernel() ? reached.inKernel() : kernel.function->getBody();
  };
  for (const Reached &reached : reach.unknown())
    gap(placeIn(reached), fmt::format("what is executed by {} is not known", reached.step.str()));
  for (const Reached &reached : reach.all()) {
    bool isFollowed = true;
    for (const Reached *at = &reached; at->from; at = at->from)
      isFollowed &= at->step.how <= How::Conversion || at->step.how == How::DefaultArgument;
    if (!isFollowed && !reached.isLibrary && firstOutsideAccess(reached))
      gap(placeIn(reached),
          fmt::format("{} reaches memory, which is not followed", reached.hiddenStep().str()));
  }
}

bool SymbolicWalk::walk(const Stmt *statement) {
  if (!statement)
    return true;
  if (++steps > maxSteps) {
    gap(statement, "the kernel is too large to be followed further");
    return false;
  }
  const Stmt *outer = std::exchange(statementNow, statement);
  bool goesOn = true;
  switch (statement->getStmtClass()) {
  case Stmt::CompoundStmtClass: goesOn = walkCompound(cast<CompoundStmt>(statement)); break;
  case Stmt::IfStmtClass: goesOn = walkIf(cast<IfStmt>(statement)); break;
  case Stmt::SwitchStmtClass: goesOn = walkSwitch(cast<SwitchStmt>(statement)); break;
  case Stmt::ReturnStmtClass: goesOn = walkReturn(cast<ReturnStmt>(statement)); break;
  case Stmt::BreakStmtClass:
  case Stmt::ContinueStmtClass:
  case Stmt::GotoStmtClass: goesOn = false; break;
  case Stmt::DeclStmtClass: walkDeclaration(cast<DeclStmt>(statement)); break;
  case Stmt::GCCAsmStmtClass: walkAssembly(statement); break;
  case Stmt::AttributedStmtClass: goesOn = walk(cast<AttributedStmt>(statement)->getSubStmt()); break;
  case Stmt::LabelStmtClass: goesOn = walk(cast<LabelStmt>(statement)->getSubStmt()); break;
  case Stmt::ForStmtClass: {
    const auto *loopStatement = cast<ForStmt>(statement);
    walk(loopStatement->getInit());
    goesOn = walkLoop(
        {loopStatement, loopStatement->getBody(), loopStatement->getCond(), loopStatement->getInc()});
    break;
  }
  case Stmt::WhileStmtClass: {
    const auto *loopStatement = cast<WhileStmt>(statement);
    goesOn = walkLoop({loopStatement, loopStatement->getBody(), loopStatement->getCond(), nullptr});
    break;
  }
  case Stmt::DoStmtClass: {
    const auto *loopStatement = cast<DoStmt>(statement);
    goesOn = walkLoop({loopStatement, loopStatement->getBody(), loopStatement->getCond(), nullptr, false});
    break;
  }
  case Stmt::CXXForRangeStmtClass: {
    const auto *range = cast<CXXForRangeStmt>(statement);
    for (const Stmt *part :
         {static_cast<const Stmt *>(range->getRangeStmt()), static_cast<const Stmt *>(range->getBeginStmt()),
          static_cast<const Stmt *>(range->getEndStmt())})
      walk(part);
    goesOn = walkLoop({range, range->getBody(), nullptr, range->getInc()});
    break;
  }
  default:
    if (const auto *expression = dyn_cast<Expr>(statement))
      evaluate(expression);
    else
      for (const Stmt *child : statement->children())
        walk(child);
  }
  statementNow = outer;
  return goesOn;
}

bool SymbolicWalk::walkCompound(const CompoundStmt *statement) {
  // What an early exit inside this block taught us ends with the block: behind `if (a) { if (b) return; }`
  // only "a implies not b" holds. The outermost block of the kernel never ends, so there it lasts.
  Guards before = guards;
  bool goesOn = true;
  for (const Stmt *child : statement->body()) {
    goesOn = walk(child);
    if (!goesOn)
      break; // what follows is dead, save labels and cases, which the switch walks by itself
  }
  guards = before;
  return goesOn;
}

bool SymbolicWalk::walkIf(const IfStmt *statement) {
  if (statement->getInit())
    walk(statement->getInit());
  if (const DeclStmt *declared = statement->getConditionVariableDeclStmt())
    walk(declared);
  Condition decision = evaluateCondition(statement->getCond());
  if (decision.isAlways(true) || decision.isAlways(false)) {
    const Stmt *taken = decision.isAlways(true) ? statement->getThen() : statement->getElse();
    return taken ? walk(taken) : true;
  }

  Event *outer = sequence;
  Event *branch = append(Event::Kind::Branch);
  auto walkWay = [&](const Stmt *way, const Condition &holds, bool negated) {
    sequence = branch;
    sequence = append(Event::Kind::Sequence);
    Guards before = guards;
    guard(holds, statement->getCond(), negated);
    bool goesOn = walk(way);
    guards = before;
    return goesOn;
  };
  size_t mark = now.mark();
  bool thenGoesOn = walkWay(statement->getThen(), decision, false);
  Environment::Changes afterThen = now.undo(mark);
  mark = now.mark();
  bool elseGoesOn = walkWay(statement->getElse(), decision.negated(), true);
  sequence = outer;

  if (!thenGoesOn) {
    now.keep(mark);
  } else {
    Environment::Changes afterElse = now.undo(mark);
    now.apply(elseGoesOn ? merged(afterThen, afterElse, decision, placeOf(statement)) : afterThen);
  }
  // `if (i >= n) return;` teaches everything behind it that i < n.
  if (thenGoesOn != elseGoesOn)
    guard(thenGoesOn ? decision : decision.negated(), statement->getCond(), !thenGoesOn);
  return thenGoesOn || elseGoesOn;
}

bool SymbolicWalk::walkSwitch(const SwitchStmt *statement) {
  if (statement->getInit())
    walk(statement->getInit());
  if (const DeclStmt *declared = statement->getConditionVariableDeclStmt())
    walk(declared);
  Value selector = evaluate(statement->getCond());
  const bool isUniform = selector.integer && !selector.integer->dependsOnThread();
  // Uniform and unknown: "is it this case" is a decision all threads take alike, whatever it is.
  Condition someCase =
      isUniform ? Condition{Condition::Kind::Equal, *selector.integer, {}} : Condition::unknown();

  Event *outer = sequence;
  Event *branch = append(Event::Kind::Branch);
  sequence = branch;
  append(Event::Kind::Sequence); // no case may match
  sequence = branch;
  sequence = append(Event::Kind::Sequence);
  Guards guardsBefore = guards;
  size_t mark = now.mark();
  Environment::Changes atEnd; // no case matched
  const auto *body = dyn_cast<CompoundStmt>(statement->getBody());
  std::vector<const Stmt *> children{statement->getBody()};
  if (body)
    children.assign(body->body_begin(), body->body_end());
  bool isReached = false;
  for (const Stmt *child : children) {
    std::vector<const Expr *> labels;
    while (const auto *label = dyn_cast<SwitchCase>(child)) {
      if (const auto *one = dyn_cast<CaseStmt>(label); one && !one->getRHS())
        labels.push_back(one->getLHS());
      else
        labels.push_back(nullptr);
      child = label->getSubStmt();
    }
    if (!labels.empty()) {
      // A new sequence for each case: barriers in one do not order what another does.
      Environment::Changes fallenInto = now.undo(mark);
      mark = now.mark();
      if (isReached)
        now.apply(merged(fallenInto, {}, someCase, placeOf(child)));
      guards = guardsBefore;
      if (!isReached && labels.size() == 1 && labels[0] && selector.integer) {
        Value wanted = evaluate(labels[0]);
        if (wanted.integer)
          guard(Condition::compare(*selector.integer, "==", *wanted.integer), statement->getCond(), false);
      }
      if (!isReached) {
        sequence = branch;
        sequence = append(Event::Kind::Sequence);
      }
      isReached = true;
    }
    if (isReached && !walk(child)) {
      atEnd = merged(atEnd, now.since(mark), someCase, placeOf(child));
      isReached = false;
    }
  }
  if (isReached)
    atEnd = merged(atEnd, now.since(mark), someCase, placeOf(statement));
  now.undo(mark);
  now.apply(atEnd);
  guards = guardsBefore;
  sequence = outer;
  return true;
}

bool SymbolicWalk::walkReturn(const ReturnStmt *statement) {
  Frame &frame = frames.back();
  const Expr *what = statement->getRetValue();
  Value value = Value::unknown("nothing is returned", placeOf(statement));
  if (what && what->isGLValue())
    frames.back().returnedPlace = locate(what);
  else if (what)
    value = evaluate(what);
  if (frames.size() == 1)
    return false;
  Frame &again = frames.back(); // evaluating may have grown the list
  if (again.returned)
    again.returned = mergedValue({nullptr, "the result"}, *again.returned, value, Condition::unknown(),
                                 placeOf(statement));
  else
    again.returned = value;
  Environment::Changes here = now.since(again.mark);
  again.atReturn =
      again.atReturn ? merged(*again.atReturn, here, Condition::unknown(), placeOf(statement)) : here;
  (void)frame;
  return false;
}

void SymbolicWalk::walkDeclaration(const DeclStmt *statement) {
  for (const Decl *declared : statement->decls())
    if (const auto *variable = dyn_cast<VarDecl>(declared))
      declare(variable);
}

void SymbolicWalk::declare(const VarDecl *variable) {
  const Expr *initial = variable->getInit();
  QualType type = variable->getType();
  if (type->isReferenceType()) {
    if (!initial)
      return;
    LValue bound = locate(initial);
    if (bound.kind == LValue::Kind::Unknown && !initial->isGLValue())
      bound = {};
    now.references[variable] = bound;
    return;
  }
  if (variable->hasGlobalStorage() || type->isArrayType()) {
    // __shared__ and static variables have no initial value of interest; an initialised local array is
    // written.
    if (initial && !variable->hasGlobalStorage())
      evaluate(initial);
    return;
  }
  now.clear(variable);
  if (!initial) {
    now.set({variable, ""}, Value::unknown("not initialised", placeOf(statementNow)));
    return;
  }
  now.set({variable, ""}, evaluate(initial));
  if (type->isRecordType())
    copyMembers(variable, initial);
}

void SymbolicWalk::walkAssembly(const Stmt *statement) {
  const auto *assembly = cast<GCCAsmStmt>(statement);
  for (unsigned i = 0; i < assembly->getNumInputs(); ++i)
    evaluate(assembly->getInputExpr(i));
  for (unsigned i = 0; i < assembly->getNumOutputs(); ++i) {
    LValue target = locate(assembly->getOutputExpr(i));
    store(target, Value::unknown("set by inline assembly", placeOf(statement)),
          assembly->getOutputExpr(i)->getType(), assembly->getOutputExpr(i));
  }
  if (std::optional<Barrier> found = barrierAt(statement, context))
    noteBarrier(*found, statement);
}

std::string SymbolicWalk::textOf(const Stmt *statement) const {
  std::string text;
  llvm::raw_string_ostream out(text);
  statement->printPretty(out, nullptr, PrintingPolicy(context.getLangOpts()));
  return out.str();
}

void SymbolicWalk::guard(const Condition &condition, const Expr *text, bool negated) {
  if (condition.isAlways(true))
    return;
  std::string written = textOf(text);
  guards = std::make_shared<Guard>(
      Guard{condition, placeOf(text), negated ? "!(" + written + ")" : written, guards});
}

Value SymbolicWalk::mergedValue(const Environment::Key &key, const Value &left, const Value &right,
                                const Condition &decision, const Place &place) {
  Value both;
  std::string name = key.first ? key.first->getNameAsString() + key.second : key.second;
  if (left.integer == right.integer) {
    both.integer = left.integer;
  } else if (left.integer && right.integer && !left.integer->dependsOnThread() &&
             !right.integer->dependsOnThread() && decision.isUniform()) {
    // All threads of the block took the same way, so they agree on the value, whichever it is.
    bool nonNegative = left.integer->isNonNegative() && right.integer->isNonNegative();
    const Symbol *symbol =
        symbols.uniform(fmt::format("{}@{}", name, place.line), nonNegative, enclosingLoops());
    both.integer = Polynomial(symbol);
  } else {
    both.integer = !left.integer    ? left.integer
                   : !right.integer ? right.integer
                                    : Affine::not_(fmt::format("two definitions of '{}' reach", name), place);
  }
  if (left.truth && right.truth && *left.truth == *right.truth)
    both.truth = left.truth;
  if (left.pointer && right.pointer) {
    const PointerValue &a = *left.pointer, &b = *right.pointer;
    PointerValue pointer = a;
    if (a.array != b.array || a.scalar != b.scalar) {
      pointer = PointerValue{.array = unknownArray(fmt::format("'{}' may point to '{}' or to '{}'", name,
                                                               a.array ? a.array->name : "a local",
                                                               b.array ? b.array->name : "a local"),
                                                   a.array && b.array && a.array->space == b.array->space
                                                       ? a.array->space
                                                       : Array::Space::Unknown),
                             .offset = Affine::not_("the pointer is not known", place),
                             .inner = Affine::not_("the pointer is not known", place),
                             .pointee = a.pointee};
    } else if (!(a.offset == b.offset)) {
      pointer.offset = pointer.inner =
          Affine::not_(fmt::format("two definitions of '{}' reach", name), place);
      pointer.outer.clear();
    }
    both.pointer = pointer;
  }
  return both;
}

/// What holds behind two ways that began with the same values.
Environment::Changes SymbolicWalk::merged(const Environment::Changes &left, const Environment::Changes &right,
                                          const Condition &decision, const Place &place) {
  Environment::Changes both;
  auto join = [&](const Environment::Key &key, const Environment::Change &a, const Environment::Change &b) {
    Environment::Change change{a.before, std::nullopt};
    if (a.after && b.after)
      change.after = mergedValue(key, *a.after, *b.after, decision, place);
    else if ((a.after || b.after) && isa<ParmVarDecl>(key.first)) // elsewhere it has what the caller gave it
      change.after = Value::unknown("set on one way of a branch", place);
    both.emplace(key, std::move(change));
  };
  for (const auto &[key, change] : left) {
    auto other = right.find(key);
    join(key, change,
         other != right.end() ? other->second : Environment::Change{change.before, change.before});
  }
  for (const auto &[key, change] : right)
    if (!left.count(key))
      join(key, Environment::Change{change.before, change.before}, change);
  return both;
}

std::vector<const Loop *> SymbolicWalk::enclosingLoops() const {
  std::vector<const Loop *> list;
  for (const Loop *one = loop; one; one = one->parent)
    list.insert(list.begin(), one);
  return list;
}

Event *SymbolicWalk::append(Event::Kind kind) {
  auto event = std::make_unique<Event>();
  event->kind = kind;
  event->parent = sequence;
  event->indexInParent = unsigned(sequence->children.size());
  sequence->children.push_back(std::move(event));
  return sequence->children.back().get();
}

void SymbolicWalk::barrier(Event::Kind kind, const Stmt *at) {
  if (silent)
    return;
  append(kind)->place = placeOf(at);
  result.barrierCount += kind == Event::Kind::Barrier;
}

/// Named barriers, and those that only some threads or none wait at, put nothing in order for the whole
/// block.
void SymbolicWalk::noteBarrier(const Barrier &found, const Stmt *at) {
  if (found.ordersBlock())
    barrier(Event::Kind::Barrier, at);
  else if (found.scope == Barrier::Scope::Warp && found.action == Barrier::Action::Sync)
    barrier(Event::Kind::WarpBarrier, at);
}

unsigned SymbolicWalk::currentRegion() {
  if (sequence->children.empty() || sequence->children.back()->kind != Event::Kind::Region)
    append(Event::Kind::Region)->region = result.regionCount++;
  return sequence->children.back()->region;
}

void SymbolicWalk::gap(const Stmt *at, std::string what) {
  for (const Diagnostic &known : result.gapList)
    if (known.text == what)
      return;
  result.gapList.push_back({Voice::Warning, placeOf(at), std::move(what), {}, {}});
}

} // namespace heddle::analysis
