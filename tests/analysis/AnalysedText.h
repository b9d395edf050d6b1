// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "source/FlowGraph.h"
#include "source/ParsedText.h"
#include "source/ReachingDefinitions.h"
#include "source/Unit.h"

#include <gmock/gmock.h>

namespace heddle::testing {

/// Many small kernels parsed at once; tests find things in them by name.
class AnalysedText {
public:
  explicit AnalysedText(const std::string &text) : program(parsed(text)) {}

  const source::Kernel &kernel(const std::string &name) const {
    std::vector<const source::Kernel *> found = program->kernelsNamed(name);
    if (found.size() != 1)
      throw std::runtime_error(fmt::format("{} kernels are named '{}'", found.size(), name));
    return *found[0];
  }

  const clang::FunctionDecl *function(const std::string &name) const {
    for (const clang::Decl *declaration : program->device().context().getTranslationUnitDecl()->decls())
      if (auto *f = llvm::dyn_cast<clang::FunctionDecl>(declaration); f && f->getNameAsString() == name)
        if (f->doesThisDeclarationHaveABody())
          return f;
    throw std::runtime_error("no function '" + name + "'");
  }

  /// The first thing of kind T in the body for which `fits` holds.
  template <typename T>
  static const T *first(const clang::FunctionDecl *in, const std::function<bool(const T *)> &fits) {
    const T *found = nullptr;
    source::forEachEvaluated(in->getBody(), [&](const clang::Stmt *statement) {
      auto *candidate = llvm::dyn_cast<T>(statement);
      if (!found && candidate && fits(candidate))
        found = candidate;
      return !found;
    });
    if (!found)
      throw std::runtime_error("nothing found in " + in->getNameAsString());
    return found;
  }

  static const clang::VarDecl *variable(const clang::FunctionDecl *in, const std::string &name) {
    const clang::VarDecl *found = nullptr;
    for (const clang::ParmVarDecl *parameter : in->parameters())
      if (parameter->getNameAsString() == name)
        found = parameter;
    source::forEachEvaluated(in->getBody(), [&](const clang::Stmt *statement) {
      if (auto *declarations = llvm::dyn_cast<clang::DeclStmt>(statement))
        for (const clang::Decl *declaration : declarations->decls())
          if (auto *v = llvm::dyn_cast<clang::VarDecl>(declaration);
              v && v->getNameAsString() == name && !found)
            found = v;
      return true;
    });
    if (!found)
      throw std::runtime_error("no variable '" + name + "'");
    return found;
  }

  /// The mention of `name` inside the initializer of the variable `inside`.
  static const clang::DeclRefExpr *useIn(const clang::FunctionDecl *in, const std::string &inside,
                                         const std::string &name) {
    const clang::DeclRefExpr *found = nullptr;
    source::forEachEvaluated(variable(in, inside)->getInit(), [&](const clang::Stmt *statement) {
      auto *reference = llvm::dyn_cast<clang::DeclRefExpr>(statement);
      if (reference && reference->getDecl()->getNameAsString() == name)
        found = reference;
      return !found;
    });
    if (!found)
      throw std::runtime_error("no use of '" + name + "'");
    return found;
  }

  std::unique_ptr<source::Program> program;
};

} // namespace heddle::testing
