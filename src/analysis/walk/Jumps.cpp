// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `goto` in the symbolic walk.
//
// The walk follows statements in the order of the text and joins values where branches end. A `goto` carries
// values to a label across that structure, and the label may be the only way to the code after it:
//
//     if (found[i])
//       goto other;
//     out[i] = 1;
//     return;
//   other:
//     out[n - 1 - i] = 2;         // no statement falls into this
//
// 1. A jump to the end of the body of a loop around it is a `continue` in other words, one to the end of the
//    kernel a `return`: nothing is left out. Directives write such jumps themselves.
// 2. Any other jump is a gap: the list of accesses is not complete, and what needs a complete one refuses.
// 3. At a label that is jumped to, variables that are changed anywhere in the function have no known value, and
//    conditions that led to the statement before it need not hold. The code after it is followed from there,
//    so that its accesses are reported, with indices that are known as far as they depend on variables that
//    never change.
//
// Not done: joining the values of all jumps to a label, which would need the flow graph; a label that is not a
// statement of a block (`if (c) again: ++x;`) is followed as if nothing jumped to it. Both only matter after
// a gap. Cost: one pass over the function for each jump and label; code without `goto` pays nothing.
#include "analysis/walk/Jumps.h"

#include "analysis/StatementShape.h"

#include <clang/AST/DynamicRecursiveASTVisitor.h>
#include <fmt/format.h>

#include <set>

using namespace clang;

namespace heddle::analysis::walk {
namespace {

/// The block ends with the label and empty statements; `return;` is as good where the block is a function's.
bool endsWith(const CompoundStmt *block, const LabelDecl *label, bool isFunction) {
  for (const Stmt *last : llvm::reverse(block->body())) {
    bool isFound = false;
    while (auto *labelled = dyn_cast<LabelStmt>(last)) {
      isFound |= labelled->getDecl() == label;
      last = labelled->getSubStmt();
    }
    auto *leaves = dyn_cast<ReturnStmt>(last);
    if (!isa<NullStmt>(last) && !(isFunction && leaves && !leaves->getRetValue()))
      return false;
    if (isFound)
      return true;
  }
  return false;
}

/// Fills in the statements around `part`, outermost first. False where it is not in `statement`.
bool findAround(const Stmt *statement, const Stmt *part, std::vector<const Stmt *> &around) {
  if (statement == part)
    return true;
  around.push_back(statement);
  for (const Stmt *child : statement->children())
    if (child && findAround(child, part, around))
      return true;
  around.pop_back();
  return false;
}

const Stmt *kernelBody(const Path &path) {
  return path.isInKernel() ? path.frames.back().function->getBody() : nullptr;
}

/// The jump goes to the end of the kernel, or of the body of a loop around it.
bool endsIterationOrKernel(const GotoStmt *jump, const Path &path) {
  std::vector<const Stmt *> around;
  findAround(path.frames.back().function->getBody(), jump, around);
  for (size_t i = 0; i < around.size(); ++i) {
    const bool isKernel = around[i] == kernelBody(path);
    const bool isIteration = i > 0 && isLoop(around[i - 1]) && bodyOf(around[i - 1]) == around[i];
    auto *block = dyn_cast<CompoundStmt>(around[i]);
    if (block && (isKernel || isIteration) && endsWith(block, jump->getLabel(), isKernel))
      return true;
  }
  return false;
}

/// Local variables that are more than read somewhere.
class ChangedVariables : public DynamicRecursiveASTVisitor {
public:
  std::set<const VarDecl *> found;

  bool VisitImplicitCastExpr(ImplicitCastExpr *cast) override {
    if (cast->getCastKind() == CK_LValueToRValue)
      read.insert(cast->getSubExpr()->IgnoreParens());
    return true;
  }
  bool VisitDeclRefExpr(DeclRefExpr *mention) override {
    auto *variable = dyn_cast<VarDecl>(mention->getDecl());
    if (variable && variable->hasLocalStorage() && !read.contains(mention))
      found.insert(variable);
    return true;
  }

private:
  std::set<const Expr *> read; ///< a cast is visited before what it converts
};

} // namespace

void noteGoto(const GotoStmt *jump, Path &path) {
  if (!endsIterationOrKernel(jump, path))
    noteGap(jump,
            fmt::format("'goto {}' is not analyzed: what is executed after its label is not known",
                        jump->getLabel()->getName()),
            path);
}

bool isJoinedByGoto(const LabelStmt *label, const CompoundStmt *block, const Path &path) {
  if (!label->getDecl()->isUsed())
    return false;
  const bool isKernel = block == kernelBody(path);
  const bool isIteration = path.loop && bodyOf(path.loop->statement) == block;
  return !((isKernel || isIteration) && endsWith(block, label->getDecl(), isKernel));
}

void enterLabel(const LabelStmt *label, Path &path) {
  const SourceLocation location = path.location(label);
  const std::string name = label->getDecl()->getName().str();
  ChangedVariables changed;
  changed.TraverseStmt(path.frames.back().function->getBody());
  for (const VarDecl *variable : changed.found) {
    path.now.clear(variable);
    path.now.set({variable, ""},
                 Value::unknown(fmt::format("'{}' changes, and '{}' is a label that is jumped to",
                                            variable->getNameAsString(), name),
                                location));
  }
  path.guards =
      std::make_shared<Guard>(Guard{Condition::unknown(), location, "a jump to '" + name + "'", nullptr});
}

} // namespace heddle::analysis::walk
