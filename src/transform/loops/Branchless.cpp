// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each side of the branch is read as a list of steps: a value gets a name, a variable or an element gets a
// value. Then all values of both sides are computed, under names of their own, and each variable or element
// that a side sets gets one of two: its value on that side, or what it had.
//
//     if (c) { t = x * 2; y = t + 1; } else y = 0;
//  => const float tIfTrue = x * 2; const float yIfTrue = tIfTrue + 1; y = c ? yIfTrue : 0;
//
// A value that takes no work, or an integer, is not given a name: it is in the select itself.
//
// Everything is now executed that only one side did before, so it must be harmless: no stores but those that
// both sides do, no division that may trap, and loads only of what is certainly there: the condition or the
// other side loads it too, or it was loaded or stored before on the way here, or it is an array's element by
// its number.
#include "transform/loops/Branchless.h"

#include "analysis/PureFunctions.h"
#include "analysis/StatementShape.h"
#include "model/Thresholds.h"
#include "source/DeclaredType.h"
#include "source/LocalWrites.h"
#include "source/Rewriter.h"
#include "source/Unit.h"
#include "support/Text.h"
#include "transform/Names.h"
#include "transform/loops/LoopWork.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/Decl.h>
#include <clang/AST/DeclCXX.h>
#include <clang/AST/ExprCXX.h>

#include <algorithm>

using namespace clang;

namespace heddle::transform {

namespace {

using analysis::Access;

/// Operations on one side. A warp that diverges executes both sides anyway; one that does not would pay for
/// what it does not need, so the sides have to be short.
constexpr unsigned mostOperations = model::threshold::loops::mostOperationsOfSide;

/// One step of a side.
struct Step {
  const Stmt *statement = nullptr;
  const VarDecl *declared = nullptr; ///< a variable of the side's own
  const Expr *target = nullptr;      ///< or what is assigned to: a variable, or an element in memory
  const VarDecl *variable = nullptr; ///< the variable that `target` names; null for memory
  const Expr *value = nullptr;       ///< null for ++ and --
  std::optional<BinaryOperatorKind> operation; ///< of a compound assignment
  bool converts = false; ///< it computes in another type than the target's, and converts back
};
using Side = std::vector<Step>;

const Expr *plain(const Expr *expression) { return expression->IgnoreParenImpCasts(); }

// Collect
// ----------------------------------------------------------------------------------------------------------

/// The steps of a side, or the first statement that is none.
class SideReader {
public:
  explicit SideReader(const Unit &unit) : unit(unit) {}

  std::variant<Side, Diagnostic> read(const Stmt *side) {
    if (side)
      for (const Stmt *statement : analysis::statementsOf(side))
        if (!isa<NullStmt>(statement) && !readOne(statement))
          return refusal(statement);
    return steps;
  }

private:
  Diagnostic refusal(const Stmt *statement) const {
    Diagnostic refused =
        legalityFailure(unit.location(statement),
                        whyNot.empty() ? "a side may only assign to variables or elements" : whyNot);
    if (!isa<IfStmt>(statement))
      return refused;
    refused.text += "; this one has an 'if'";
    refused.hint = fmt::format("convert the inner branch first, on a line of its own, by branchless line={}",
                               unit.location(statement).line);
    return refused;
  }

  bool readOne(const Stmt *statement) {
    if (auto *cleanups = dyn_cast<ExprWithCleanups>(statement))
      statement = cleanups->getSubExpr();
    if (auto *declaration = dyn_cast<DeclStmt>(statement))
      return readDeclaration(declaration);
    if (auto *unary = dyn_cast<UnaryOperator>(statement); unary && unary->isIncrementDecrementOp())
      return add(statement, unary->getSubExpr(), nullptr, unary->isIncrementOp() ? BO_Add : BO_Sub);
    auto *binary = dyn_cast<BinaryOperator>(statement);
    if (!binary || !binary->isAssignmentOp())
      return false;
    if (!binary->isCompoundAssignmentOp())
      return add(statement, binary->getLHS(), binary->getRHS(), std::nullopt);
    return add(statement, binary->getLHS(), binary->getRHS(),
               BinaryOperator::getOpForCompoundAssignment(binary->getOpcode()));
  }
  bool readDeclaration(const DeclStmt *declaration) {
    for (const Decl *one : declaration->decls()) {
      auto *variable = dyn_cast<VarDecl>(one);
      bool isValue = variable && variable->getInit() && variable->hasLocalStorage() &&
                     variable->getType()->isArithmeticType() && variable->getInitStyle() == VarDecl::CInit;
      if (!isValue)
        return false;
      steps.push_back({declaration, variable, nullptr, variable, variable->getInit(), std::nullopt, false});
    }
    return true;
  }
  bool add(const Stmt *statement, const Expr *target, const Expr *value,
           std::optional<BinaryOperatorKind> operation) {
    if (target->getType().isVolatileQualified())
      return refuse("a side assigns to a volatile variable here");
    if (!target->getType()->isScalarType())
      return refuse("a side may only assign numbers and pointers");
    // x += e computes in the common type of both and converts back.
    auto *compound = dyn_cast<CompoundAssignOperator>(statement);
    const bool converts = compound && !unit.context().hasSameUnqualifiedType(
                                          compound->getComputationResultType(), target->getType());
    Step step{statement, nullptr, target, nullptr, value, operation, converts};
    if (auto *reference = dyn_cast<DeclRefExpr>(plain(target));
        reference && source::isThreadLocal(reference->getDecl()))
      step.variable = cast<VarDecl>(reference->getDecl());
    else if (source::localPlace(target))
      return refuse("a side assigns to a part of a local variable here (an element or a member)");
    steps.push_back(step);
    return true;
  }

  bool refuse(const char *why) {
    whyNot = why;
    return false;
  }

  const Unit &unit;
  Side steps;
  std::string whyNot; ///< where it is an assignment
};

// Decide
// -----------------------------------------------------------------------------------------------------------

class SelectLegality {
public:
  SelectLegality(const analysis::LoopStudy &study, const IfStmt *branch, const Side &yes, const Side &no)
      : study(study), unit(study.unit), branch(branch), yes(yes), no(no) {}

  LegalityFailure whyNot() const {
    const analysis::Condition *decision = study.accesses().conditionOf(branch->getCond());
    if (!decision)
      return legalityFailure(unit.location(branch), "the branch is never reached");
    if (decision->isAlways(true) || decision->isAlways(false))
      return legalityFailure(unit.location(branch), "the condition is always the same");
    for (const Side *side : {&yes, &no})
      if (LegalityFailure reason = whyNot(*side))
        return reason;
    for (const Stmt *side : {branch->getThen(), branch->getElse()})
      if (side)
        if (LegalityFailure reason = unsafeLoad(side))
          return reason;
    return unequalStores();
  }

private:
  LegalityFailure whyNot(const Side &side) const {
    unsigned operations = 0;
    std::set<const VarDecl *> assigned;
    bool hasStored = false;
    for (const Step &step : side) {
      if (step.value)
        if (LegalityFailure effect = effectIn(step.value, operations))
          return effect;
      if (step.operation && isDivision(*step.operation) && mayTrap(step.target->getType(), step.value))
        return legalityFailure(unit.location(step.statement),
                               "the divisor may be zero where this side is not taken");
      operations += step.operation ? 1 : 0;
      if (!step.variable && step.target) {
        if (Uses::of(step.target).mentionsAny([&](const VarDecl *v) { return assigned.contains(v); }))
          return legalityFailure(unit.location(step.target),
                                 "which element this is depends on what the side computes");
        if (LegalityFailure effect = effectIn(step.target, operations))
          return effect;
      }
      if (hasStored && readsMemory(step))
        return legalityFailure(unit.location(step.statement),
                               "this may read what the side has stored before");
      hasStored |= step.target && !step.variable;
      assigned.insert(step.variable);
    }
    if (operations > mostOperations)
      return legalityFailure(unit.location(branch),
                             "a side has {} operations: too long to be executed by all", operations);
    return std::nullopt;
  }

  bool readsMemory(const Step &step) const {
    return std::ranges::any_of(study.accessesIn(step.statement), &Access::isRead);
  }

  static bool isDivision(BinaryOperatorKind operation) { return operation == BO_Div || operation == BO_Rem; }
  bool mayTrap(QualType type, const Expr *divisor) const {
    if (!type->isIntegerType())
      return false;
    Expr::EvalResult value;
    if (!divisor || !divisor->EvaluateAsInt(value, unit.context()))
      return true;
    return value.Val.getInt() == 0 || (value.Val.getInt().isSigned() && value.Val.getInt().isAllOnes());
  }

  LegalityFailure effectIn(const Expr *value, unsigned &operations) const {
    if (LegalityFailure effect = analysis::reasonAgainstReordering(unit, value))
      return effect;
    LegalityFailure found;
    source::forEachEvaluated(value, [&](const Stmt *part) {
      if (found || isa<PseudoObjectExpr>(part))
        return false;
      if (auto *binary = dyn_cast<BinaryOperator>(part)) {
        ++operations;
        if (binary->isAssignmentOp() || binary->isCommaOp())
          found = legalityFailure(unit.location(part), "this has a side effect");
        else if (isDivision(binary->getOpcode()) && mayTrap(binary->getType(), binary->getRHS()))
          found =
              legalityFailure(unit.location(part), "the divisor may be zero where this side is not taken");
      } else if (auto *unary = dyn_cast<UnaryOperator>(part)) {
        ++operations;
        if (unary->isIncrementDecrementOp())
          found = legalityFailure(unit.location(part), "this has a side effect");
      } else if (auto *call = dyn_cast<CallExpr>(part)) {
        ++operations;
        found = badCall(call);
      } else if (isa<CXXConstructExpr, InitListExpr>(part)) {
        found = legalityFailure(unit.location(part), "this makes an object");
      }
      return !found;
    });
    return found;
  }
  LegalityFailure badCall(const CallExpr *call) const {
    const FunctionDecl *callee = call->getDirectCallee();
    bool takesValues = callee && std::ranges::all_of(callee->parameters(), [](const ParmVarDecl *parameter) {
                         return parameter->getType()->isArithmeticType();
                       });
    bool isLoad = callee && callee->getDeclName().isIdentifier() && callee->getName().starts_with("__ld");
    if (isLoad || (takesValues && analysis::isPureFunction(unit, callee)))
      return std::nullopt;
    return legalityFailure(unit.location(call), "this call may have side effects: after if-conversion it "
                                                "would be made for both outcomes of the condition");
  }

  // Loads

  LegalityFailure unsafeLoad(const Stmt *side) const {
    std::vector<const Access *> accesses = study.accessesIn(side);
    if (accesses.empty() && hasMemory(side))
      return legalityFailure(unit.location(side), "this side is never reached");
    for (const Access *access : accesses)
      if (access->isRead() && !isSafe(*access, side)) {
        LegalityFailure unsafe = legalityFailure(
            access->location,
            "'{}' may not exist where this side is not taken, so it cannot be loaded unconditionally",
            access->text);
        unsafe->note(unit.location(branch->getCond()), "the condition is here");
        return unsafe;
      }
    return std::nullopt;
  }
  static bool hasMemory(const Stmt *side) {
    return std::ranges::any_of(analysis::partsOf(side), analysis::goesToMemory);
  }

  bool isSafe(const Access &load, const Stmt *side) const {
    if (isElementByNumber(load))
      return true;
    const Stmt *other = side == branch->getThen() ? branch->getElse() : branch->getThen();
    std::vector<const Access *> always;
    for (const Access &access : study.accesses().all())
      if (isOnTheWay(access, load))
        always.push_back(&access);
    if (other && load.guards)
      for (const Access *access : study.accessesIn(other))
        if (access->guards && access->guards->outer == load.guards->outer)
          always.push_back(access);
    return std::ranges::any_of(always, [&](const Access *known) { return isSame(*known, load); });
  }

  bool isElementByNumber(const Access &load) const {
    const analysis::Array &array = *load.array;
    if (!array.decl || array.isParameter || array.isDynamic || load.subscripts.size() != array.extents.size())
      return false;
    for (size_t i = 0; i < array.extents.size(); ++i)
      if (auto at = load.subscripts[i].constant(); !at || *at < 0 || *at >= array.extents[i])
        return false;
    return true;
  }

  /// Whenever control comes to the branch it has passed this access in the same iteration of all its loops.
  bool isOnTheWay(const Access &access, const Access &load) const {
    if (&access >= &load || !access.calls.empty() ||
        (access.loop && !(load.loop && load.loop->isInside(access.loop))))
      return false;
    // The innermost guard of the load is the branch's own condition.
    const analysis::Guard *outside = load.guards ? load.guards->outer.get() : nullptr;
    for (const analysis::Guard *guard = outside;; guard = guard->outer.get()) {
      if (guard == access.guards.get())
        return true;
      if (!guard)
        return false;
    }
  }

  bool isSame(const Access &known, const Access &load) const {
    if (known.array != load.array || known.bytes < load.bytes || !known.array->decl)
      return false;
    bool isByText = known.text == load.text && !mentionsAssigned(load);
    if (known.address && load.address)
      return known.address == load.address && !load.address->mentionsAny([](const analysis::Symbol &symbol) {
        return symbol.name.find_first_of("[@") != std::string::npos;
      });
    return isByText && (known.statement == branch || isInSides(known));
  }
  bool isInSides(const Access &access) const {
    for (const Stmt *side : {branch->getThen(), branch->getElse()})
      if (side && analysis::partsOf(side).contains(access.statement))
        return true;
    return false;
  }
  bool mentionsAssigned(const Access &access) const {
    std::set<const VarDecl *> assigned;
    for (const Side *side : {&yes, &no})
      for (const Step &step : *side)
        assigned.insert(step.variable);
    return Uses::of(access.expression).mentionsAny([&](const VarDecl *v) { return assigned.contains(v); });
  }

  // Stores

  std::vector<const Access *> storesOf(const Stmt *side) const {
    std::vector<const Access *> stores;
    if (side)
      for (const Access *access : study.accessesIn(side))
        if (access->isWrite())
          stores.push_back(access);
    return stores;
  }

  LegalityFailure unequalStores() const {
    std::vector<const Access *> first = storesOf(branch->getThen()), second = storesOf(branch->getElse());
    for (size_t i = 0; i < std::max(first.size(), second.size()); ++i) {
      const Access *a = i < first.size() ? first[i] : nullptr, *b = i < second.size() ? second[i] : nullptr;
      if (a && b && isSame(*a, *b) && a->bytes == b->bytes)
        continue;
      LegalityFailure unequal =
          legalityFailure((a ? a : b)->location, "only one side stores to '{}'", (a ? a : b)->text);
      if (a && b)
        unequal->note(b->location, "the other side stores here");
      return unequal;
    }
    return std::nullopt;
  }

  const analysis::LoopStudy &study;
  const Unit &unit;
  const IfStmt *branch;
  const Side &yes, &no;
};

// Edit
// -------------------------------------------------------------------------------------------------------------

/// What one side makes of a target: the text of its value.
struct Arm {
  std::string text;
  bool isPlain = false; ///< a number or a variable: nothing to be computed
  bool fits =
      false; ///< of the target's own type, a number written down, or a sum that a compound assignment computes in that type
  Code comments; ///< whole lines that belong to it
};
struct Choice {
  const Expr *target = nullptr;
  const VarDecl *variable = nullptr;
  std::optional<Arm> arms[2];
};

class BranchlessWriter {
public:
  BranchlessWriter(const LoopTask &task, const IfStmt *branch)
      : task(task), unit(task.study.unit), branch(branch), text(unit), names(unit) {}

  LegalityFailure run(const Side &yes, const Side &no) {
    const Stmt *bodies[] = {branch->getThen(), branch->getElse()};
    const Side *sides[] = {&yes, &no};
    for (unsigned which : {0u, 1u})
      takeSide(*sides[which], which, bodies[which]);
    Code chosen = choices.size() > 1 ? conditionByName() : Code();
    for (const Choice &choice : choices)
      chosen.add(choose(choice));
    lines.add(chosen);
    if (text.failure || failure)
      return text.failure ? text.failure : failure;
    text.replace(task.context.edits, branch, task.study.parent(branch), lines.from(text.lineOf(branch)),
                 !lines.isOneLine());
    return std::nullopt;
  }
  size_t count() const { return choices.size(); }

private:
  void takeSide(const Side &side, unsigned which, const Stmt *body) {
    now.clear();
    source::BlockText block = body ? text.block(body) : source::BlockText{};
    const Stmt *last = nullptr;
    for (size_t i = 0; i < side.size(); ++i) {
      Code remarks;
      for (const source::BlockPart &part : block.parts)
        if (part.statement == side[i].statement && side[i].statement != last)
          remarks = commentsOf(part);
      last = side[i].statement;
      take(side[i], which, isUsedFrom(side, i + 1, side[i].variable), remarks);
    }
  }
  static bool isUsedFrom(const Side &side, size_t first, const VarDecl *variable) {
    for (size_t i = first; i < side.size() && variable; ++i) {
      if ((side[i].operation && side[i].variable == variable) || Uses::of(side[i].value).mentions(variable))
        return true;
    }
    return false;
  }

  static Code commentsOf(const source::BlockPart &part) {
    Code all = part.lead;
    return all.add(llvm::StringRef(part.trail.str()).ltrim().str());
  }

  void take(const Step &step, unsigned which, bool isUsedAgain, const Code &remarks) {
    Arm arm = armOf(step);
    arm.comments = remarks;
    if (step.declared) {
      now[step.declared] = declare(arm, step.declared, nullptr, which, step.declared->getNameAsString());
      return;
    }
    if (isUsedAgain) { // other values of the side build on it: it needs a name
      std::string name = declare(arm, step.variable, nullptr, which, step.variable->getNameAsString());
      now[step.variable] = name;
      arm = {name, true, true, {}};
    }
    if (!isOwn(step.variable))
      choiceFor(step, which).arms[which] = arm;
  }
  /// A variable that the side itself declares: it is not used after the branch.
  bool isOwn(const VarDecl *variable) const { return variable && task.study.isInside(variable, branch); }

  /// Stores come in the same order on both sides: the first that still lacks this side's value is meant.
  Choice &choiceFor(const Step &step, unsigned which) {
    for (Choice &choice : choices)
      if (choice.variable == step.variable && (step.variable || !choice.arms[which]))
        return choice;
    choices.push_back({step.target, step.variable, {}});
    return choices.back();
  }

  Arm armOf(const Step &step) {
    Arm arm;
    QualType type = step.declared ? step.declared->getType() : step.target->getType();
    arm.text = step.value ? textOf(step.value) : "1";
    const Expr *value = step.value ? plain(step.value) : nullptr;
    bool isNumber = value && (isa<IntegerLiteral, FloatingLiteral, CXXBoolLiteralExpr>(value));
    arm.isPlain = !step.operation && value && (isNumber || isa<DeclRefExpr>(value));
    arm.fits = isNumber || (value && unit.context().hasSameUnqualifiedType(value->getType(), type));
    if (step.operation) {
      bool isTerm = !value || isa<IntegerLiteral, FloatingLiteral, DeclRefExpr, ArraySubscriptExpr, CallExpr,
                                  ParenExpr, MemberExpr>(step.value->IgnoreImpCasts());
      auto *product = value ? dyn_cast<BinaryOperator>(step.value->IgnoreImpCasts()) : nullptr;
      if (!isTerm && !(*step.operation == BO_Add && product && product->getOpcode() == BO_Mul))
        arm.text = "(" + arm.text + ")";
      std::string old = step.variable ? nameOf(step.variable) : text.text(step.target->getSourceRange());
      arm.text = fmt::format("{} {} {}", old, BinaryOperator::getOpcodeStr(*step.operation).str(), arm.text);
      arm.fits = !step.converts;
    }
    return arm;
  }

  std::string nameOf(const VarDecl *variable) const {
    auto at = now.find(variable);
    return at == now.end() ? variable->getNameAsString() : at->second;
  }
  std::string textOf(const Expr *value) {
    return text.text(value, renamed(value, [&](const DeclRefExpr *mention) {
                       auto at = now.find(cast<VarDecl>(mention->getDecl()));
                       return at == now.end() ? std::nullopt : std::optional(at->second);
                     }));
  }

  /// Declares a name for the value, of the type that it is to be converted to.
  std::string declare(const Arm &arm, const VarDecl *variable, const Expr *target, unsigned which,
                      const std::string &base) {
    std::string name = names.fresh(base + (which ? "IfFalse" : "IfTrue"));
    std::optional<std::string> words;
    const QualType type = (variable ? variable->getType() : target->getType()).getUnqualifiedType();
    if (variable)
      words = source::declareAs(unit, variable, name);
    else if (!task.study.kernel.isInstantiation)
      words = source::declareType(unit, type, name);
    if (!words) {
      failure = legalityFailure(unit.location(branch), "the type of a value has no name in this template");
      return name;
    }
    // In front of a pointer it would be the const of what it points to.
    lines.add(arm.comments);
    lines.addf("{}{} = {};", type->isAnyPointerType() ? "" : "const ", *words, arm.text);
    return name;
  }

  Code conditionByName() {
    condition = names.fresh("isTaken");
    return fmt::format("const bool {} = {};", condition, text.text(branch->getCond()));
  }
  std::string conditionText() {
    if (!condition.empty())
      return condition;
    std::string words = text.text(branch->getCond()->getSourceRange());
    const Expr *plainCondition = branch->getCond()->IgnoreImpCasts();
    auto *binary = dyn_cast<BinaryOperator>(plainCondition);
    bool isLow = isa<AbstractConditionalOperator>(plainCondition) ||
                 (binary && !binary->isComparisonOp() && !binary->isLogicalOp());
    return isLow ? "(" + words + ")" : words;
  }

  std::string choose(const Choice &choice) {
    std::string target =
        choice.variable ? choice.variable->getNameAsString() : text.text(choice.target->getSourceRange());
    std::string arms[2];
    for (unsigned which : {0u, 1u})
      arms[which] = choice.arms[which] ? armText(choice, which) : target;
    return fmt::format("{} = {} ? {} : {};", target, conditionText(), arms[0], arms[1]);
  }

  /// The value itself where it may be in the choice: with several choices, variables that an earlier one
  /// sets must not be looked at any more.
  std::string armText(const Choice &choice, unsigned which) {
    const Arm &arm = *choice.arms[which];
    bool isWhole = choice.target->getType()->isIntegerType();
    bool mayAppear = choices.size() == 1 ? arm.fits && (arm.isPlain || isWhole)
                                         : arm.fits && arm.isPlain && !isTarget(arm.text);
    if (mayAppear) {
      lines.add(arm.comments);
      return arm.text;
    }
    std::string base = choice.variable ? choice.variable->getNameAsString() : baseName(choice.target);
    return declare(arm, choice.variable, choice.target, which, base);
  }
  bool isTarget(const std::string &name) const {
    return std::ranges::any_of(
        choices, [&](const Choice &choice) { return choice.variable && choice.variable->getName() == name; });
  }
  static std::string baseName(const Expr *target) {
    for (const Stmt *inside : analysis::partsOf(target))
      if (auto *reference = dyn_cast<DeclRefExpr>(inside);
          reference && (reference->getType()->isPointerType() || reference->getType()->isArrayType()))
        return reference->getDecl()->getNameAsString();
    return "value";
  }

  const LoopTask &task;
  const Unit &unit;
  const IfStmt *branch;
  source::Rewriter text;
  Names names;
  std::map<const VarDecl *, std::string> now; ///< the name of a variable's value on the side being taken
  std::vector<Choice> choices;
  Code lines;
  std::string condition;
  LegalityFailure failure;
};

LegalityFailure branchless(const LoopTask &task) {
  const Unit &unit = task.study.unit;
  auto *branch = cast<IfStmt>(task.subject);
  if (branch->getIfLoc().isMacroID())
    return legalityFailure(unit.location(branch), "the branch is expanded from a macro");
  if (branch->isConstexpr() || branch->getInit() || branch->getConditionVariable())
    return legalityFailure(unit.location(branch),
                           branch->isConstexpr()
                               ? "'if constexpr' is decided at compile time: there is no branch to convert"
                               : "the branch declares a variable in its head");
  SideReader first(unit), second(unit);
  std::variant<Side, Diagnostic> yes = first.read(branch->getThen()), no = second.read(branch->getElse());
  for (auto *side : {&yes, &no})
    if (auto *refusal = std::get_if<Diagnostic>(side))
      return *refusal;
  const Side &then = std::get<Side>(yes), &otherwise = std::get<Side>(no);
  if (then.empty() && otherwise.empty())
    return legalityFailure(unit.location(branch), "the branch does nothing");
  if (LegalityFailure reason = SelectLegality(task.study, branch, then, otherwise).whyNot())
    return reason;
  if (!task.edits)
    return std::nullopt;
  BranchlessWriter writer(task, branch);
  if (LegalityFailure reason = writer.run(then, otherwise))
    return reason;
  task.context.done("the branch at line {} became {}", unit.location(branch).line,
                    counted(writer.count(), "select"));
  return std::nullopt;
}

} // namespace

PassResult makeBranchless(Context &context) { return carryOutOn(context, branchless); }

std::vector<const Stmt *> branchesToSelect(const Kernel &kernel) {
  std::vector<const Stmt *> all = branchesOf(kernel);
  std::erase_if(all, [&](const Stmt *statement) {
    auto *branch = cast<IfStmt>(statement);
    SideReader yes(*kernel.unit), no(*kernel.unit);
    return branch->isConstexpr() || !std::holds_alternative<Side>(yes.read(branch->getThen())) ||
           !std::holds_alternative<Side>(no.read(branch->getElse()));
  });
  return all;
}

} // namespace heddle::transform
