// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "source/FlowGraph.h"

#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

namespace clang {
class DeclRefExpr;
class Expr;
class FieldDecl;
class FunctionDecl;
class Stmt;
class ValueDecl;
class VarDecl;
} // namespace clang

namespace heddle::source {

/// A place that gives a local variable or parameter a value, or may do so.
struct Definition {
  enum class Kind {
    Entry,         ///< the value a parameter has when the function is called
    Declaration,   ///< `int x = e;`, `dim3 b(16, 16);`
    Uninitialized, ///< `int x;`
    Assignment,    ///< `x = e`, also of a class type
    Compound,      ///< `x += e`: `value` is e
    Increment,     ///< `++x`, `x--`: no value
    Opaque,        ///< passed by reference or by address to `statement`, a call; an output of inline assembly
  };
  Kind kind = Kind::Opaque;
  const clang::VarDecl *variable = nullptr;
  /// The one field written by `v.f = e`; null where the whole variable (or some element of it) is.
  const clang::FieldDecl *field = nullptr;
  /// The statement or expression that defines: a DeclStmt, an assignment, a call; null for Entry.
  const clang::Stmt *statement = nullptr;
  /// Initializer or right-hand side; null where there is none.
  const clang::Expr *value = nullptr;
  /// The lvalue written (`a[i]`, `v.f`, `x`); null for declarations and entry values.
  const clang::Expr *target = nullptr;
  /// True where what was there before may still be there afterwards: an element of an array is written, or a
  /// call may or may not write. Such a definition does not hide earlier ones.
  bool mayKeepOld = false;

  bool isExact() const {
    return !mayKeepOld && (kind == Kind::Declaration || kind == Kind::Assignment) && value;
  }
};

/// Which definitions of local variables and parameters reach which uses, for one function body.
///
/// Held as static single assignment form over Clang's CFG: time and space stay near linear in the size of the
/// function. Fields of a local struct with few fields are followed one by one; arrays as a whole. A variable
/// whose address is stored somewhere (or that a reference that is not const is bound to) is `escaped`: all
/// its definitions are said to reach each of its uses, and there may be more of them.
///
/// Not followed: globals, statics, __shared__ variables, fields reached through a pointer.
class ReachingDefinitions {
public:
  /// Null where the function has no body.
  static std::unique_ptr<ReachingDefinitions> of(const clang::FunctionDecl *function);
  ~ReachingDefinitions();

  const FlowGraph &graph() const { return *flow; }

  /// Locals and parameters with automatic storage, in order of declaration; __shared__ and static ones are
  /// not.
  const std::vector<const clang::VarDecl *> &variables() const { return tracked; }
  bool isTracked(const clang::ValueDecl *declaration) const;

  /// The definitions that may have given the variable the value it has at this use, in a stable order. Empty
  /// in code that is not reachable. Where the use is the base of `v.f`, those of that field.
  std::vector<const Definition *> reaching(const clang::DeclRefExpr *use) const;
  /// The only definition that reaches the use; null where there are several or it may keep what was before.
  const Definition *onlyReaching(const clang::DeclRefExpr *use) const;

  /// Every definition of the variable.
  std::vector<const Definition *> definitionsOf(const clang::VarDecl *variable) const;
  /// True where the variable has one definition, its declaration or entry value, and its address does not
  /// escape.
  bool isNeverReassigned(const clang::VarDecl *variable) const;
  /// True where the variable may be written through a pointer or reference that outlives the expression it is
  /// in.
  bool addressEscapes(const clang::VarDecl *variable) const;
  /// Every use and every definition's target of the variable.
  std::vector<const clang::DeclRefExpr *> referencesTo(const clang::VarDecl *variable) const;
  /// False for a reference that is only the target of an assignment.
  bool isRead(const clang::DeclRefExpr *reference) const;

  /// The same facts as static single assignment values, for analyses that go along them.
  using ValueId = unsigned;
  static constexpr ValueId none = ~0u;
  struct Value {
    enum class Kind { Definition, Phi } kind = Kind::Phi;
    const clang::VarDecl *variable = nullptr;
    const clang::FieldDecl *field = nullptr; ///< null where the variable is followed as a whole
    unsigned definition = 0;                 ///< for Definition: index into definitions()
    FlowGraph::Point at;                     ///< where it comes to be; a Phi before the first element
    ValueId previous = none;                 ///< for a definition that may keep what was before
    std::vector<ValueId> operands; ///< for Phi: one for each predecessor, `none` where not reachable
  };
  const std::vector<Value> &values() const { return valueList; }
  const std::vector<Definition> &definitions() const { return definitionList; }
  /// The values a use reads: one, or one for each field where a struct is used as a whole. Empty for an
  /// escaped variable and in unreachable code.
  const std::vector<ValueId> &valuesAt(const clang::DeclRefExpr *use) const;
  /// The values a definition makes (several where it writes a whole struct).
  const std::vector<ValueId> &valuesOf(const Definition &definition) const;

private:
  friend class ReachingDefinitionsBuilder;
  ReachingDefinitions();

  std::unique_ptr<FlowGraph> flow;
  std::vector<const clang::VarDecl *> tracked;
  std::vector<Definition> definitionList;
  std::vector<Value> valueList;
  std::vector<std::vector<ValueId>> valuesOfDefinition;
  std::unordered_map<const clang::VarDecl *, std::vector<unsigned>> definitionsByVariable;
  std::unordered_map<const clang::VarDecl *, bool> escapes;
  std::unordered_map<const clang::VarDecl *, std::vector<const clang::DeclRefExpr *>> references;
  std::unordered_map<const clang::DeclRefExpr *, std::vector<ValueId>> usesToValues;
  std::unordered_map<const clang::DeclRefExpr *, bool> onlyWritten;
};

} // namespace heddle::source
