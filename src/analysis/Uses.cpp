// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a piece of code mentions: built-in variables, locals, calls, returns, lambdas, assembly; one traversal
// for all.
//
// Clang represents `threadIdx.x` as a property read, a pseudo object with a call inside; it is one use of a
// built-in here, and what is inside is not visited. Bodies of lambdas are part of the code that they are in,
// but their returns are not.
//
// `discardedCode`: in an instantiation, what `if constexpr` does not take is an empty statement. Another
// instantiation may take it, and they share one text, so a transform that rewrites text must know it: the
// pattern's `if` at the same location has the code.
//
// `calledFunctions` leaves out lambdas that device code creates, since their bodies are part of functions
// that are visited anyway. A lambda of namespace scope, or one that host code passes to the kernel, is a
// function of its own.
#include "analysis/Uses.h"

#include "analysis/StatementShape.h"
#include "source/Unit.h"

#include <clang/AST/ASTLambda.h>
#include <clang/AST/DeclCXX.h>
#include <clang/AST/DynamicRecursiveASTVisitor.h>
#include <fmt/format.h>

#include <algorithm>
#include <map>

using namespace clang;

namespace heddle::analysis {
namespace {

class UsesCollector : public DynamicRecursiveASTVisitor {
public:
  explicit UsesCollector(Uses &uses) : uses(uses) {}

  // `threadIdx.x` is a property read: Clang keeps what was written as the syntactic form.
  bool TraversePseudoObjectExpr(PseudoObjectExpr *expression) override {
    uses.statements.insert(expression);
    return takeBuiltin(expression, expression->getSyntacticForm()) ||
           TraverseStmt(expression->getSyntacticForm());
  }
  bool TraverseMemberExpr(MemberExpr *expression) override {
    return takeBuiltin(expression, expression) || DynamicRecursiveASTVisitor::TraverseMemberExpr(expression);
  }
  bool TraverseDeclRefExpr(DeclRefExpr *expression) override {
    return takeBuiltin(expression, expression) || DynamicRecursiveASTVisitor::TraverseDeclRefExpr(expression);
  }
  bool VisitStmt(Stmt *statement) override {
    uses.statements.insert(statement);
    return true;
  }
  bool VisitDeclRefExpr(DeclRefExpr *reference) override {
    auto *variable = dyn_cast<VarDecl>(reference->getDecl());
    if (variable && variable->hasLocalStorage() && !variable->hasAttr<CUDASharedAttr>())
      uses.locals.push_back(reference);
    return true;
  }
  bool VisitCallExpr(CallExpr *call) override {
    uses.calls.push_back(call);
    return true;
  }
  bool VisitReturnStmt(ReturnStmt *statement) override {
    uses.returns.push_back(statement);
    return true;
  }
  bool VisitAsmStmt(AsmStmt *statement) override {
    if (!uses.assembly)
      uses.assembly = statement;
    return true;
  }
  bool TraverseLambdaExpr(LambdaExpr *lambda) override {
    if (!uses.lambda)
      uses.lambda = lambda;
    size_t before = uses.returns.size();
    bool goOn = DynamicRecursiveASTVisitor::TraverseLambdaExpr(lambda);
    uses.returns.resize(before); // these leave the lambda only
    return goOn;
  }

private:
  bool takeBuiltin(Expr *expression, Expr *written) {
    std::optional<ThreadBuiltin> builtin = threadBuiltin(expression);
    if (builtin) {
      uses.statements.insert(expression);
      uses.builtins.push_back({*builtin, written->getSourceRange()});
    }
    return builtin.has_value();
  }
  Uses &uses;
};

} // namespace

void Uses::add(const Stmt *code) {
  if (code)
    UsesCollector(*this).TraverseStmt(const_cast<Stmt *>(code));
}

Uses Uses::of(const Stmt *code) {
  Uses uses;
  uses.add(code);
  return uses;
}

std::vector<DiscardedCode> discardedCode(const FunctionDecl *instantiation) {
  std::vector<DiscardedCode> found;
  const FunctionDecl *pattern = instantiation->getTemplateInstantiationPattern();
  if (!pattern)
    return found;
  std::map<unsigned, const IfStmt *> present;
  for (const Stmt *statement : Uses::of(instantiation->getBody()).statements)
    if (auto *branch = dyn_cast<IfStmt>(statement); branch && branch->isConstexpr())
      present[branch->getIfLoc().getRawEncoding()] = branch;
  for (const Stmt *statement : Uses::of(pattern->getBody()).statements) {
    auto *branch = dyn_cast<IfStmt>(statement);
    auto at = branch ? present.find(branch->getIfLoc().getRawEncoding()) : present.end();
    if (at == present.end())
      continue;
    // Clang puts an empty statement, or an empty block, in its stead.
    auto isGone = [](const Stmt *part) {
      auto *block = dyn_cast_or_null<CompoundStmt>(part);
      return !part || isa<NullStmt>(part) || (block && block->body_empty());
    };
    if (isGone(at->second->getThen()) && !isGone(branch->getThen()))
      found.push_back({at->second, Uses::of(branch->getThen())});
    if (isGone(at->second->getElse()) && !isGone(branch->getElse()))
      found.push_back({at->second, Uses::of(branch->getElse())});
  }
  return found;
}

std::vector<const VarDecl *> Uses::boundVariables() const {
  std::vector<const VarDecl *> found;
  for (const Stmt *statement : statements) {
    auto *reference = dyn_cast<DeclRefExpr>(statement);
    auto *binding = reference ? dyn_cast<BindingDecl>(reference->getDecl()) : nullptr;
    if (auto *whole = binding ? dyn_cast<VarDecl>(binding->getDecomposedDecl()) : nullptr)
      found.push_back(whole);
  }
  return found;
}

std::vector<const VarDecl *> Uses::variables() const {
  std::vector<const VarDecl *> found = boundVariables();
  for (const DeclRefExpr *reference : locals)
    found.push_back(cast<VarDecl>(reference->getDecl()));
  return found;
}

std::vector<BuiltinBeyondCapture> builtinsBeyondCapture(const Stmt *statement) {
  std::vector<BuiltinBeyondCapture> found;
  auto *lambda = dyn_cast<LambdaExpr>(statement);
  if (!lambda)
    return found;
  auto add = [&](const Stmt *code, fmt::format_string<std::string> why) {
    for (const Uses::Builtin &builtin : Uses::of(code).builtins)
      found.push_back({builtin.what, fmt::format(why, builtin.what.name())});
  };
  for (const ParmVarDecl *parameter : lambda->getCallOperator()->parameters())
    if (parameter->hasDefaultArg() && !parameter->hasUninstantiatedDefaultArg())
      add(parameter->getDefaultArg(), "a default argument of this lambda mentions '{}'");
  if (lambda->getCaptureDefault() == LCD_None)
    add(lambda->getBody(), "this lambda mentions '{}' and captures nothing by default");
  return found;
}

bool Uses::mentions(ThreadBuiltin::Kind kind, unsigned dimension) const {
  for (const Builtin &builtin : builtins)
    if (builtin.what.kind == kind && (builtin.what.dimension == dimension || builtin.what.dimension == 3))
      return true;
  return false;
}

bool Uses::mentions(ThreadBuiltin::Kind kind) const {
  return std::ranges::any_of(builtins, [&](const Builtin &builtin) { return builtin.what.kind == kind; });
}

bool Uses::mentions(const ValueDecl *local) const {
  return std::ranges::any_of(locals, [&](const DeclRefExpr *each) { return each->getDecl() == local; });
}

bool Uses::mentionsAny(const std::function<bool(const VarDecl *)> &isMeant) const {
  return std::ranges::any_of(
      locals, [&](const DeclRefExpr *each) { return isMeant(cast<VarDecl>(each->getDecl())); });
}

std::vector<const VarDecl *> Uses::declared() const {
  std::vector<const VarDecl *> found;
  for (const Stmt *statement : statements)
    for (const VarDecl *variable : declaredBy(statement))
      found.push_back(variable);
  return found;
}

namespace {

/// A lambda that device code creates: its body is part of the function that it is in, and that function is
/// executed too. One of namespace scope, or of host code that passes it to the kernel, is part of none.
bool isPartOfDeviceFunction(const FunctionDecl *function) {
  auto *method = dyn_cast<CXXMethodDecl>(function);
  if (!method || !isLambdaCallOperator(method))
    return false;
  const DeclContext *around = method->getParent()->getDeclContext();
  while (around && !around->isFunctionOrMethod())
    around = around->getParent();
  auto *outer = dyn_cast_or_null<FunctionDecl>(around);
  if (!outer)
    return false;
  const bool isDevice = outer->hasAttr<CUDADeviceAttr>() && !outer->hasAttr<CUDAHostAttr>();
  return outer->hasAttr<CUDAGlobalAttr>() || (isDevice && !isLambdaCallOperator(outer)) ||
         isPartOfDeviceFunction(outer);
}

} // namespace

std::vector<const FunctionDecl *> calledFunctions(const source::Unit &unit, const Uses &uses) {
  std::vector<const FunctionDecl *> found;
  for (const CallExpr *call : uses.calls) {
    const FunctionDecl *callee = calleeOf(call);
    if (callee && isPartOfDeviceFunction(callee))
      continue;
    if (callee && callee->hasBody() && unit.isUserCode(callee->getLocation()))
      found.push_back(callee);
  }
  return found;
}

} // namespace heddle::analysis
