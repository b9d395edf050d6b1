// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A key is an expression of the user's over what the kernel knows at its start, or the condition of a branch.
//
//   1. Collect the kernel's beginning: declarations, and guards by which threads return at once, up to the
//      first statement that does anything else. A kernel that is one large `if` goes on inside of it.
//   2. Look up each name of the key: a parameter, a local of the beginning, or something declared outside.
//   3. Write the guards, and of the declarations those that the key or a guard needs.
//
// The beginning is done twice then, once for the key: so nothing in it may write, and functions that ask
// which thread they are stay out, as they are about to be changed.
#include "transform/regroup/RegroupKey.h"

#include "analysis/CallEffects.h"
#include "analysis/StatementShape.h"
#include "analysis/loops/LoopStudy.h"
#include "source/Unit.h"
#include "support/Text.h"
#include "transform/regroup/KeyCode.h"
#include "transform/tasks/KernelHead.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/DeclTemplate.h>
#include <clang/AST/ExprCXX.h>
#include <clang/Lex/Preprocessor.h>

#include <algorithm>
#include <map>
#include <set>

using namespace clang;

namespace heddle::transform {

namespace {

/// A statement of the kernel's beginning.
struct Opening {
  const DeclStmt *declaration = nullptr;
  const Expr *guard = nullptr; ///< threads for which it is true return,
  bool isNegated = false;      ///< or for which it is false
};

/// Names that a piece of an expression's text mentions, without members and what is behind `::`.
std::vector<std::string> namesIn(const std::string &text) {
  auto isPart = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; };
  std::vector<std::string> names;
  for (size_t i = 0; i < text.size();) {
    if (!isPart(text[i])) {
      ++i;
      continue;
    }
    const size_t begin = i;
    while (i < text.size() && isPart(text[i]))
      ++i;
    const std::string before = text.substr(0, begin);
    const bool isMember = before.ends_with(".") || before.ends_with("->") || before.ends_with("::");
    if (!std::isdigit(static_cast<unsigned char>(text[begin])) && !isMember)
      names.push_back(text.substr(begin, i - begin));
  }
  return names;
}

class KeyPlanner {
public:
  KeyPlanner(Context &context, const Kernel &kernel, bool fixedGuards)
      : context(context), kernel(kernel), unit(*kernel.unit), fixedGuards(fixedGuards) {}

  std::optional<KeyPlan> ofBranch() {
    collect(analysis::statementsOf(kernel.function->getBody()));
    const KernelFacts &facts = context.facts(kernel);
    Diagnostic::Note lastReason;
    for (const KernelFacts::BranchInFunction &branch : facts.divergentBranches) {
      using Kind = analysis::DivergentBranch::Kind;
      if (!branch.function.empty() || isGuard(branch.branch->statement) ||
          (branch.branch->kind != Kind::If && branch.branch->kind != Kind::Switch))
        continue;
      std::vector<const Expr *> conditions = conditionsOf(branch.branch->statement);
      if (const VarDecl *late = firstLate(conditions)) {
        lastReason = {unit.location(late->getLocation()),
                      fmt::format("'{}' is not known at the kernel's start", namesOf(late).front())};
        continue;
      }
      // A thread that returns in between might find nothing there to read.
      const bool readsMemory =
          std::ranges::any_of(conditions, [&](const Expr *condition) { return hangsOnMemory(condition); });
      if (readsMemory && branch.branch->statement != next) {
        lastReason = {branch.branch->location,
                      "the condition of this branch reads memory, and other statements precede the branch"};
        continue;
      }
      return planBranch(branch.branch->statement, conditions);
    }
    Diagnostic &refusal =
        context.refuse(kernel.location, "no branch has a condition that is known at the start of the kernel")
            .withHint("by=EXPRESSION names what to group threads by");
    if (!lastReason.text.empty())
      refusal.note(lastReason.location, lastReason.text);
    return std::nullopt;
  }

  std::optional<KeyPlan> ofExpression(const std::string &key) {
    collect(analysis::statementsOf(kernel.function->getBody()));
    for (const std::string &name : namesIn(key))
      if (!find(name))
        return std::nullopt;
    const bool readsMemory = key.find('[') != std::string::npos || key.find("->") != std::string::npos;
    if (const Stmt *late = readsMemory ? lateGuard() : nullptr)
      return context
          .refuse(unit.location(late), "the key reads memory, which may not exist for threads that exit here")
          .withHint("put the guards before everything that is not a declaration");
    KeyPlan plan;
    plan.about = "'" + key + "'";
    return finish(std::move(plan), fmt::format("heddle::keyOf({})", key));
  }

private:
  // The beginning
  // -----------------------------------------------------------------------------------------------------

  void collect(const std::vector<const Stmt *> &statements) {
    for (const Stmt *statement : statements) {
      next = statement;
      if (auto *declaration = dyn_cast<DeclStmt>(statement)) {
        if (!mayBeDoneTwice(declaration))
          return;
        openings.push_back({declaration});
        for (const VarDecl *variable : analysis::declaredBy(declaration)) {
          if (!hasValue(variable))
            continue;
          known.insert(variable);
          for (const std::string &name : namesOf(variable))
            locals[name] = variable;
          if (variable->getInit() && hangsOnMemory(variable->getInit()))
            loaded.insert(variable);
        }
        continue;
      }
      auto *branch = dyn_cast<IfStmt>(statement);
      if (!branch || branch->getElse() || branch->getConditionVariable() || branch->getInit() ||
          branch->isConstexpr() || !mayBeDoneTwice(branch->getCond()) ||
          (fixedGuards && hangsOnMemory(branch->getCond())))
        return;
      if (isReturn(branch->getThen())) {
        openings.push_back({nullptr, branch->getCond()});
        continue;
      }
      if (statement != statements.back())
        return;
      openings.push_back({nullptr, branch->getCond(), true});
      wholes.insert(branch);
      next = branch->getThen();
      collect(analysis::statementsOf(branch->getThen()));
      return;
    }
    next = nullptr;
  }

  /// `int i;`, or an object of a class that sets none of its members, gets its value later.
  static bool hasValue(const VarDecl *variable) {
    const Expr *init = variable->getInit();
    const auto *constructed = init ? dyn_cast<CXXConstructExpr>(init->IgnoreImplicit()) : nullptr;
    return init && !(constructed && constructed->getConstructor()->isDefaultConstructor() &&
                     constructed->getConstructor()->isTrivial() && !constructed->isListInitialization() &&
                     !constructed->requiresZeroInitialization());
  }

  static bool isReturn(const Stmt *statement) {
    if (auto *block = dyn_cast<CompoundStmt>(statement))
      return block->size() == 1 && isReturn(block->body_front());
    return isa<ReturnStmt>(statement);
  }
  /// Where threads are let go, but not at the start; null where some are let go there.
  const Stmt *lateGuard() const {
    for (const Opening &opening : openings)
      if (opening.guard)
        return nullptr;
    for (const Stmt *statement : kernel.function->getBody()->children())
      if (auto *branch = dyn_cast_or_null<IfStmt>(statement); branch && isReturn(branch->getThen()))
        return branch;
    return nullptr;
  }

  /// It is no dispatch: threads only leave by it, or all that the kernel does is inside.
  bool isGuard(const Stmt *statement) const {
    auto *branch = dyn_cast<IfStmt>(statement);
    return branch && !branch->getElse() && (wholes.contains(branch) || isReturn(branch->getThen()));
  }

  bool mayBeDoneTwice(const Stmt *code) const { return KeyCode(unit).mayBeDoneTwice(code); }

  bool hangsOnMemory(const Stmt *code) const {
    const Uses uses = Uses::of(code);
    const bool usesLoaded = std::ranges::any_of(
        uses.variables(), [&](const VarDecl *variable) { return loaded.contains(variable); });
    return usesLoaded || !uses.calls.empty() || std::ranges::any_of(uses.statements, analysis::goesToMemory);
  }

  // Names
  // -----------------------------------------------------------------------------------------------------

  bool isParameter(const std::string &name) const {
    const FunctionDecl *pattern = patternOf(kernel.function);
    for (const ParmVarDecl *parameter : pattern->parameters())
      if (parameter->getName() == name)
        return true;
    if (const FunctionTemplateDecl *described = pattern->getDescribedFunctionTemplate())
      for (const NamedDecl *parameter : *described->getTemplateParameters())
        if (parameter->getName() == name)
          return true;
    return false;
  }

  bool isDeclaredOutside(const std::string &name) const {
    static const std::set<std::string> builtins = {"threadIdx", "blockIdx", "blockDim", "gridDim",
                                                   "warpSize"};
    IdentifierInfo *word = unit.preprocessor().getIdentifierInfo(name);
    if (builtins.contains(name) || word->getTokenID() != tok::identifier || word->hasMacroDefinition())
      return true;
    for (const DeclContext *scope = kernel.function->getDeclContext(); scope; scope = scope->getParent())
      if (!scope->lookup(DeclarationName(word)).empty())
        return true;
    return false;
  }

  /// Marks a local as needed. False, with a refusal, where the name represents nothing that is known then.
  bool find(const std::string &name) {
    if (locals.contains(name)) {
      needed.insert(locals[name]);
      return true;
    }
    if (isParameter(name))
      return true;
    for (const DeclRefExpr *later : Uses::of(kernel.function->getBody()).locals)
      if (later->getDecl()->getName() == name)
        return context
            .refuse(unit.location(later->getDecl()->getLocation()),
                    "the key uses '{}', which is not known at the kernel's start", name)
            .withHint("a key is computed before the kernel runs: from parameters and from declarations at "
                      "its beginning");
    if (isDeclaredOutside(name))
      return true;
    std::vector<std::string> names;
    for (const ParmVarDecl *parameter : kernel.function->parameters())
      names.push_back(parameter->getNameAsString());
    for (const auto &[local, variable] : locals)
      names.push_back(local);
    return context.refuse(kernel.location, "the key uses '{}', and there is no such name", name)
        .withHint("names known at the start of the kernel: " + joinAnd(nearestFirst(name, names)));
  }

  // Branches
  // -----------------------------------------------------------------------------------------------------

  /// Of a switch what it switches over, of an if that with all that follow by `else if`.
  static std::vector<const Expr *> conditionsOf(const Stmt *statement) {
    if (auto *choice = dyn_cast<SwitchStmt>(statement))
      return {choice->getCond()};
    std::vector<const Expr *> conditions;
    for (auto *branch = dyn_cast_or_null<IfStmt>(statement); branch;
         branch = dyn_cast_or_null<IfStmt>(branch->getElse()))
      conditions.push_back(branch->getCond());
    return conditions;
  }

  /// The first mention of something that is not known yet at the kernel's start.
  const VarDecl *firstLate(const std::vector<const Expr *> &conditions) const {
    for (const Expr *condition : conditions)
      for (const VarDecl *variable : Uses::of(condition).variables())
        if (!isa<ParmVarDecl>(variable) && !known.contains(variable))
          return variable;
    return nullptr;
  }
  /// A variable's own name, or those that a structured binding gives its parts.
  static std::vector<std::string> namesOf(const VarDecl *variable) {
    auto *parts = dyn_cast<DecompositionDecl>(variable);
    if (!parts)
      return {variable->getNameAsString()};
    std::vector<std::string> names;
    for (const BindingDecl *binding : parts->bindings())
      names.push_back(binding->getNameAsString());
    return names;
  }

  std::optional<KeyPlan> planBranch(const Stmt *statement, const std::vector<const Expr *> &conditions) {
    std::string key;
    for (unsigned number = 0; number < conditions.size(); ++number) {
      const Expr *condition = conditions[number];
      if (!mayBeDoneTwice(condition))
        return context.refuse(
            unit.location(condition),
            "the condition of this branch has a side effect, and the key would evaluate it again");
      for (const VarDecl *variable : Uses::of(condition).variables())
        if (!isa<ParmVarDecl>(variable))
          needed.insert(variable);
      std::optional<std::string> text = textOf(condition);
      if (!text)
        return std::nullopt;
      key += isa<SwitchStmt>(statement) ? *text : fmt::format("({}) ? {} : ", *text, number);
    }
    if (!isa<SwitchStmt>(statement))
      key += std::to_string(conditions.size());
    KeyPlan plan;
    plan.hasQueues = true;
    plan.about = fmt::format("the branch in line {}", unit.location(statement).line);
    return finish(std::move(plan), fmt::format("heddle::queueOf({})", key));
  }

  // Text
  // -----------------------------------------------------------------------------------------------------

  std::optional<std::string> textOf(const Stmt *code) { return context.textOf(unit, code->getSourceRange()); }

  /// Locals of a declaration that is needed need others in turn.
  void needOthers() {
    for (auto opening = openings.rbegin(); opening != openings.rend(); ++opening)
      if (opening->guard || isNeeded(*opening))
        for (const VarDecl *variable :
             Uses::of(opening->guard ? static_cast<const Stmt *>(opening->guard) : opening->declaration)
                 .variables())
          needed.insert(variable);
  }
  /// Of several variables that a statement declares, the key may need some.
  bool hasUnneeded(const Opening &opening) const {
    return llvm::any_of(opening.declaration->decls(), [&](const Decl *declared) {
      auto *variable = dyn_cast<VarDecl>(declared);
      return variable && !needed.contains(variable);
    });
  }
  bool isNeeded(const Opening &opening) const {
    return opening.declaration && llvm::any_of(opening.declaration->decls(), [&](const Decl *declared) {
             auto *variable = dyn_cast<VarDecl>(declared);
             return !variable || needed.contains(variable);
           });
  }

  std::optional<KeyPlan> finish(KeyPlan plan, const std::string &result) {
    needOthers();
    for (const Opening &opening : openings) {
      if (!opening.guard && !isNeeded(opening))
        continue;
      std::optional<std::string> text = opening.guard ? textOf(opening.guard) : textOf(opening.declaration);
      if (!text)
        return std::nullopt;
      if (opening.guard) {
        plan.lines.push_back(opening.isNegated ? fmt::format("if (!({}))", *text)
                                               : fmt::format("if ({})", *text));
        plan.lines.push_back("  return heddle::noWork;");
      } else {
        plan.lines.push_back((hasUnneeded(opening) ? "[[maybe_unused]] " : "") + *text);
      }
    }
    plan.lines.push_back("return " + result + ";");
    return plan;
  }

  Context &context;
  const Kernel &kernel;
  const Unit &unit;
  const bool fixedGuards;
  std::vector<Opening> openings;
  const Stmt *next = nullptr;                    ///< the first statement after them, where there is one
  std::map<std::string, const VarDecl *> locals; ///< of the openings
  std::set<const VarDecl *> known;               ///< the same
  std::set<const VarDecl *> loaded;              ///< of those, what hangs on memory
  std::set<const VarDecl *> needed;
  std::set<const IfStmt *> wholes; ///< that hold all the kernel does
};

} // namespace

std::optional<KeyPlan> planKey(Context &context, const Kernel &kernel, bool fixedGuards) {
  KeyPlanner planner(context, kernel, fixedGuards);
  const std::string by = context.directive.word("by");
  return by == "branch" ? planner.ofBranch() : planner.ofExpression(by);
}

} // namespace heddle::transform
