// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "analysis/Environment.h"
#include "source/Unit.h"

#include <clang/AST/ExprCXX.h>
#include <clang/AST/StmtCXX.h>

#include <cstdint>
#include <map>
#include <set>
#include <utility>

namespace heddle::analysis {

struct Barrier;

/// What a loop does to the variables that live outside it.
struct Modification {
  const clang::Expr *expression = nullptr; ///< the assignment, increment or call; null: an unknown effect
  const clang::Stmt *statement = nullptr;
  std::vector<const clang::Expr *> conditions; ///< decide inside the loop whether it happens
  bool isTopLevel = false; ///< happens exactly once in each iteration that reaches the end
};
using Modifications = std::map<Environment::Key, std::vector<Modification>>;

/// Follows a kernel from top to bottom with symbolic values. One object, one kernel, one run.
class SymbolicWalk {
public:
  SymbolicWalk(Accesses &result, const source::Kernel &kernel);
  void run();

private:
  // Statements: each returns whether control can go on behind it.
  bool walk(const clang::Stmt *statement);
  bool walkCompound(const clang::CompoundStmt *statement);
  bool walkIf(const clang::IfStmt *statement);
  bool walkSwitch(const clang::SwitchStmt *statement);
  bool walkReturn(const clang::ReturnStmt *statement);
  void walkDeclaration(const clang::DeclStmt *statement);
  void declare(const clang::VarDecl *variable);
  void walkAssembly(const clang::Stmt *statement);

  // Loops
  struct LoopParts {
    const clang::Stmt *statement = nullptr, *body = nullptr;
    const clang::Expr *condition = nullptr, *increment = nullptr;
    bool testsFirst = true;
  };
  bool walkLoop(const LoopParts &parts);
  Modifications modificationsIn(const LoopParts &parts);
  void enterLoop(Loop &loop, const LoopParts &parts, const Modifications &modified);
  bool makeInduction(Loop &loop, const Environment::Key &key, const std::vector<Modification> &changes,
                     const LoopParts &parts);
  bool makeUniform(Loop &loop, const Environment::Key &key, const std::vector<Modification> &changes);
  std::set<Environment::Key> uniformCandidates(const Modifications &modified, bool hasContinue);
  bool staysUniform(const clang::Expr *expression, const Modifications &modified,
                    const std::set<Environment::Key> &candidates);
  void describeBound(Loop &loop, const clang::Expr *condition);
  void leaveLoop(const Loop &loop, const LoopParts &parts, const Modifications &modified,
                 const std::map<Environment::Key, Value> &atHead, const Condition &goesOn);

  // Expressions
  Value evaluate(const clang::Expr *expression);
  Value evaluateFresh(const clang::Expr *expression);
  Value evaluateCast(const clang::CastExpr *expression);
  Value evaluateUnary(const clang::UnaryOperator *expression);
  Value evaluateBinary(const clang::BinaryOperator *expression);
  Value evaluateLogical(const clang::BinaryOperator *expression);
  Value evaluateAssignment(const clang::BinaryOperator *expression);
  Value evaluateConditional(const clang::AbstractConditionalOperator *expression);
  Value evaluateConstruction(const clang::CXXConstructExpr *expression);
  Value evaluateChildren(const clang::Stmt *expression, const char *what);
  Value arithmetic(clang::BinaryOperatorKind op, const Value &left, const Value &right, clang::QualType type,
                   const clang::Expr *expression);
  Affine divide(const Affine &left, const Affine &right, bool wantsRemainder, bool isShift,
                clang::QualType type, const clang::Expr *expression);
  std::optional<Affine> withOneBit(clang::BinaryOperatorKind op, const Affine &left, const Affine &right);
  Affine bitwiseAnd(const Affine &left, const Affine &right, const clang::Expr *expression);
  Value comparison(const std::string &op, const Value &left, const Value &right);
  Value moved(const PointerValue &pointer, const Affine &elements, const Place &place);
  std::optional<int64_t> largestValue(const Polynomial &form) const;
  Condition conditionOf(const Value &value);
  Condition evaluateCondition(const clang::Expr *expression);
  /// A value all threads agree on but that has no form: a symbol named by its text.
  std::optional<Value> opaqueUniform(const std::string &text, const std::vector<const Affine *> &from,
                                     bool nonNegative);

  std::optional<Polynomial> builtinIndex(const clang::Expr *expression);
  std::optional<Polynomial> indexSymbol(const std::string &base, const std::string &member);
  Polynomial threadRank();

  // Lvalues and memory
  LValue locate(const clang::Expr *expression);
  LValue locateVariable(const clang::VarDecl *variable, const clang::Expr *expression);
  LValue locateMember(const clang::MemberExpr *expression);
  LValue pointedAt(const Value &pointer, const clang::Expr *expression);
  Value load(const LValue &from, clang::QualType type, const clang::Expr *expression);
  Value initialValue(const clang::VarDecl *variable, const std::string &path, clang::QualType type);
  void store(const LValue &to, const Value &value, clang::QualType type, const clang::Expr *expression,
             Access::Kind kind = Access::Kind::Write);
  void copyMembers(const clang::VarDecl *to, const clang::Expr *from);
  void forget(const clang::VarDecl *variable, const std::string &reason, const Place &place);
  void record(Access::Kind kind, const LValue &where, clang::QualType type, const clang::Expr *expression);
  Value addressOf(const LValue &lvalue, clang::QualType type);
  const Array *arrayOf(const clang::VarDecl *variable);
  const Array *pointerArray(const clang::VarDecl *variable, const std::string &path, clang::QualType type);
  const Array *unknownArray(const std::string &reason, Array::Space space = Array::Space::Unknown);
  int64_t sizeOf(clang::QualType type) const;

  // Calls
  Value evaluateCall(const clang::CallExpr *call);
  Value evaluateKnownCall(const clang::CallExpr *call, const std::string &name, bool &known);
  Value followCall(const clang::CallExpr *call, const clang::FunctionDecl *callee, const clang::Expr *object,
                   std::vector<const clang::Expr *> arguments);
  Value evaluateUnknownCall(const clang::CallExpr *call, const clang::FunctionDecl *callee);
  void touchArguments(const clang::CallExpr *call, const std::string &name);
  bool hasBarrierInside(const clang::FunctionDecl *function);

  // Bookkeeping
  struct Frame {
    const clang::FunctionDecl *function = nullptr;
    LValue self; ///< what `this` points at
    std::optional<Value> returned;
    std::optional<LValue> returnedPlace;
    std::optional<Environment::Changes> atReturn;
    size_t mark = 0; ///< of the environment, when the call began
    bool returnsInside = false;
  };
  Place placeOf(const clang::Stmt *statement) const { return unit.place(statement); }
  std::string textOf(const clang::Stmt *statement) const;
  void guard(const Condition &condition, const clang::Expr *text, bool negated);
  Environment::Changes merged(const Environment::Changes &left, const Environment::Changes &right,
                              const Condition &decision, const Place &place);
  Value mergedValue(const Environment::Key &key, const Value &left, const Value &right,
                    const Condition &decision, const Place &place);
  std::vector<const Loop *> enclosingLoops() const;
  Event *append(Event::Kind kind);
  void barrier(Event::Kind kind, const clang::Stmt *at);
  void noteBarrier(const Barrier &found, const clang::Stmt *at);
  Value waitAt(const Barrier &found, const clang::CallExpr *call);
  unsigned currentRegion();
  void gap(const clang::Stmt *at, std::string what);
  void noteHiddenCode();

  Accesses &result;
  const source::Kernel &kernel;
  const source::Unit &unit;
  clang::ASTContext &context;
  SymbolTable &symbols;
  Environment now;
  Guards guards;
  Loop *loop = nullptr;
  Event *sequence = nullptr;
  std::vector<Frame> frames;
  std::vector<Place> callPlaces;
  const clang::Stmt *statementNow = nullptr;
  std::map<const clang::VarDecl *, const Array *> variableArrays;
  std::map<std::string, const Array *> namedArrays;
  std::map<const clang::FunctionDecl *, bool> barrierInside;
  bool silent = false; ///< evaluate only, record nothing
  unsigned steps = 0;
};

} // namespace heddle::analysis
