// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "analysis/Uses.h"

#include <deque>
#include <string>
#include <vector>

namespace clang {
class Expr;
class FunctionDecl;
class Stmt;
class ValueDecl;
} // namespace clang

namespace heddle::source {
class Unit;
}

namespace heddle::analysis {

/// One piece of code that is executed where another is evaluated: the body of a function, or an expression
/// that the language puts there (a default argument, a default member initializer).
struct Executed {
  enum class How {
    Call,               ///< `f(x)` of a function that is named where it is called
    Member,             ///< `object.f(x)`
    Operator,           ///< an overloaded operator, also `object(x)` and `object[i]`
    Lambda,             ///< the body of a lambda
    Conversion,         ///< a conversion function
    Constructor,        ///< of a variable, member, base, temporary or copy
    Destructor,         ///< of a variable, member, base, parameter or temporary
    DefaultArgument,    ///< an expression, not a function
    DefaultInitializer, ///< of a member: an expression, not a function
    RangeFor,           ///< begin, end, ++, != and * that a range-based for calls
    Binding,            ///< `get` of a structured binding
    Allocation,         ///< operator new or operator delete
    // What follows is not known: its effects are unknown.
    Pointer, ///< a call through a pointer to a function or member function
    Virtual, ///< a call whose target the object decides at run time
    NoBody,  ///< a function of the user's without a visible body
  } how = How::Call;
  const clang::FunctionDecl *function = nullptr; ///< its definition where that is visible
  const clang::Expr *expression = nullptr;       ///< of a default argument or initializer
  const clang::ValueDecl *of = nullptr;          ///< the parameter or member with this default
  const clang::Stmt *at = nullptr; ///< what executes it; null for what a function does at its end

  bool isUnknown() const { return how >= How::Pointer; }
  /// The text at `at` names the function and its arguments, so that an edit there can change the call.
  bool isWritten() const { return how == How::Call; }
  /// "the constructor of 'Tile'", "the default argument 'n' of 'f'"
  std::string str() const;
};

/// What evaluating `code` executes besides what is written in it, in source order, without looking into what
/// it calls. Bodies of lambdas, and operands of sizeof and decltype, are not evaluated.
std::vector<Executed> executedBy(const clang::Stmt *code);
/// The same for a whole function: its body, the member initializers of a constructor, the destructors of
/// members and bases of a destructor, and of its parameters.
std::vector<Executed> executedBy(const clang::FunctionDecl *function);

/// A function (or default expression) that a kernel executes, with the way to it.
struct Reached {
  Executed step;                 ///< the last step; not meant for the kernel itself
  const Reached *from = nullptr; ///< what executes it; null for the kernel
  /// Some step on the way is not a written call: the text that executes it cannot hand anything on to it.
  bool isHidden = false;
  bool isLibrary = false; ///< it is not in the user's files

  const clang::FunctionDecl *function() const { return step.function; }
  /// The statements and expressions that are executed: a body, initializers, a default expression.
  std::vector<const clang::Stmt *> code() const;
  Uses uses() const; ///< of all that
  /// The expression of the kernel's own body where the way begins; null where the kernel's end does it.
  const clang::Stmt *inKernel() const;
  /// The innermost step on the way that is not a written call, of a library the one that leads into it: what
  /// to name to the user.
  const Executed &hiddenStep() const;
};

/// Everything that a function comes to execute, itself first, each body once (twice where it is reached both
/// in hidden ways and by written calls). Library functions that are known by name are not looked into: see
/// isKnownByName.
class Reach {
public:
  static Reach of(const clang::FunctionDecl *function, const source::Unit &unit);
  const std::deque<Reached> &all() const { return list; }
  /// Calls of which nothing is known, of the user's code only.
  const std::vector<Reached> &unknown() const { return unknownCalls; }

private:
  std::deque<Reached> list;
  std::vector<Reached> unknownCalls;
};

/// A function whose effect the tables of this module give (CallEffects.def, Barriers.def, cooperative
/// groups), a compiler builtin, or arithmetic of the mathematical library: looking into it would give less information.
bool isKnownByName(const clang::FunctionDecl *function, const source::Unit &unit);

/// The first place where a function reaches memory that is not a local variable or, in a constructor, a
/// member of the object: a load, a store, an atomic, assembly. Null where it only computes. What it calls is
/// not looked into.
const clang::Stmt *firstOutsideAccess(const Reached &reached);

} // namespace heddle::analysis
