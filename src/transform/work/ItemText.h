// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "source/Render.h"
#include "transform/work/ItemIndices.h"
#include "transform/work/WorkPlan.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace heddle::transform {

/// What the statements of a plan read as when they are done for work items.
class ItemText {
public:
  ItemText(const Unit &unit, const WorkPlan &plan, const ItemIndices &indices, const CallChanges &calls,
           Names &names);

  /// What is replaced in a node's text; for a structure in its header alone.
  std::vector<Replacement> editsOf(const KernelNode &node);
  /// The same for what `if constexpr` leaves out of this instantiation: it must suit the others.
  std::vector<Replacement> editsOfPattern(const Uses &uses);

  /// A declaration that its node handed to the place before the work loop.
  struct MovedUp {
    unsigned node = 0;
    std::string declaration;
  };
  std::vector<MovedUp> &movedUp(unsigned group) { return arrays[group]; }
  /// The label after the body of a work loop; empty where nothing jumps there.
  const std::string &labelOf(unsigned group) { return labels[group]; }

  /// A declaration of this one variable, with its value.
  std::string declarationOf(const clang::VarDecl *variable);
  std::string nameOf(const ItemVariable &entry) const;
  static bool isUsedIn(const ItemVariable &entry, unsigned group);
  /// The flags of items that have not returned, and the count of those.
  const std::string &active() const { return activeName; }
  const std::string &itemsLeft() const { return leftName; }

  /// The first thing that could not be written.
  std::optional<Diagnostic> refused;

private:
  void refuse(const clang::Stmt *where, std::string why, std::string hint = {});

  // Expressions
  std::string rendered(clang::SourceRange range, const std::vector<Replacement> &parts);
  std::string renderedItem(const clang::Expr *expression);
  std::vector<Replacement> replacements(const Uses &uses, bool inHeader);
  std::string mentionOf(const ItemVariable &entry, const std::string &subscripts) const;

  // Returns and votes
  bool isInsideLoop(const clang::Stmt *at, const KernelNode &node) const;
  std::string leaving(const clang::ReturnStmt *statement, const KernelNode &node);
  std::string joinedVote(const BlockVote &vote);
  std::string ofItem(const BlockVote &vote, const std::string &value, const std::string &subscripts,
                     unsigned item) const;

  // Declarations
  bool isMovedFrom(const clang::VarDecl *variable, const KernelNode &node) const;
  bool isUniformLocal(const clang::VarDecl *variable) const;
  bool mustRewrite(const clang::DeclStmt &declarations, const KernelNode &node) const;
  std::string rewritten(const clang::DeclStmt &declarations, const KernelNode &node);
  void becomeArray(const ItemVariable &entry, const KernelNode &node, std::vector<std::string> &parts);
  std::optional<std::string> arrayOf(const ItemVariable &entry, const std::string &declarator);
  std::string binding(const ItemVariable &entry);
  std::string construction(const ItemVariable &entry);
  bool isZeroLiteral(const clang::Expr *value) const;
  std::string assignment(const clang::VarDecl *variable, const std::string &target, const KernelNode &node);
  std::string arrayAssignment(const clang::VarDecl *variable, const std::string &target,
                              const KernelNode &node);

  const Unit &unit;
  const WorkPlan &plan;
  const ItemIndices &indices;
  const CallChanges &calls;
  Names &names;
  std::map<const clang::VarDecl *, std::string> parameterNames;
  std::map<unsigned, std::vector<MovedUp>> arrays; ///< before the work loop, by its number
  std::map<unsigned, std::string> labels;          ///< after the body, by work loop
  std::string activeName, leftName;
};

} // namespace heddle::transform
