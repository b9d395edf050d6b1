// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What changes in the text of a function when a block becomes a task of a warp.
//
//                                             const uint3 blockIdx = task.blockIdx;
//     __shared__ float t[64];          =>     __shared__ float tOfWarps[4][64];
//                                             auto &t = tOfWarps[heddle::warpOfBlock()];
//     out[blockIdx.x] = t[0];                 out[blockIdx.x] = t[0];
//
// 1. Built-in variables that mean something else now are shadowed by locals of the same name at the beginning
//    of the body, as far as the code mentions them. The uses are not changed, so code from macros needs no
//    edit.
// 2. A shared array gets one part per warp, and its name becomes a reference to the own part. Dynamic shared
//    memory is divided by the size that the task carries.
// 3. Shared variables are looked for in the template's pattern: instantiations share one text. Built-in
//    variables in code that `if constexpr` discards count, since another instantiation may take it.
//
// Which functions are changed or copied, and how calls pass the task on, is decided in TaskFunctions.cpp.
#include "transform/tasks/TaskText.h"

#include "analysis/StatementShape.h"
#include "source/Rewriter.h"
#include "source/Unit.h"
#include "transform/tasks/KernelHead.h"

#include <clang/AST/DynamicRecursiveASTVisitor.h>
#include <llvm/ADT/STLExtras.h>

#include <algorithm>
#include <set>

using namespace clang;

namespace heddle::transform {

using analysis::DiscardedCode;
using analysis::discardedCode;

namespace {

using BuiltinKind = analysis::ThreadBuiltin::Kind;

class SharedFinder : public DynamicRecursiveASTVisitor {
public:
  bool VisitDeclStmt(DeclStmt *statement) override {
    for (const VarDecl *variable : analysis::declaredBy(statement))
      if (variable->hasAttr<CUDASharedAttr>())
        take(variable, statement);
    return true;
  }
  bool VisitDeclRefExpr(DeclRefExpr *reference) override {
    auto *variable = dyn_cast<VarDecl>(reference->getDecl());
    if (variable && variable->hasAttr<CUDASharedAttr>() && variable->isFileVarDecl())
      take(variable, nullptr);
    return true;
  }
  std::vector<SharedVariable> found;

private:
  void take(const VarDecl *variable, const DeclStmt *statement) {
    if (seen.insert(variable->getCanonicalDecl()).second)
      found.push_back({variable, statement});
  }
  std::set<const VarDecl *> seen;
};

/// "<2>" after a helper's name; nothing for warps that are flat in z.
std::string depthArgument(const TaskShape &shape) {
  return shape.depth == 1 ? std::string() : fmt::format("<{}>", shape.depth);
}

/// Variables that take the place of CUDA's, as far as the code asks for them.
Code substitutes(const TaskUses &uses, const TaskShape &shape) {
  Code lines;
  if (shape.isItem && uses.uses.mentions(BuiltinKind::ThreadIdx))
    lines.addf("const uint3 threadIdx = {}.threadIdx;", shape.task);
  if (uses.uses.mentions(BuiltinKind::BlockIdx))
    lines.addf("const uint3 blockIdx = {}.blockIdx;", shape.task);
  if (shape.isItem)
    return lines;
  if (uses.uses.mentions(BuiltinKind::GridDim))
    lines.addf("const dim3 gridDim = {}.gridDim;", shape.task);
  if (uses.uses.mentions(BuiltinKind::ThreadIdx, 2))
    lines.addf("const uint3 threadIdx = heddle::threadOfTask{}();", depthArgument(shape));
  if (uses.uses.mentions(BuiltinKind::BlockDim, 2))
    lines.addf("const dim3 blockDim = heddle::blockOfTask{}();", depthArgument(shape));
  return lines;
}

/// The warp's own part of a shared variable under the variable's name.
std::string ownPartOf(const SharedVariable &shared, const std::string &all, const TaskShape &shape) {
  const std::string name = shared.variable->getNameAsString();
  if (shared.isDynamic())
    return fmt::format("auto *const {} = heddle::ownPart{}({}, {}.sharedBytes);", name, depthArgument(shape),
                       all, shape.task);
  return fmt::format("auto &{} = {}[heddle::warpOfBlock{}()];", name, all, depthArgument(shape));
}

Replacement tokenReplaced(clang::SourceLocation token, std::string text) {
  return {SourceRange(token, token), std::move(text)};
}

} // namespace

std::string TaskShape::tasksType() const {
  std::string list = std::to_string(warps);
  if (isDynamic || throttle || depth > 1)
    list += isDynamic ? ", heddle::Order::Dynamic" : ", heddle::Order::Static";
  if (throttle || depth > 1)
    list += fmt::format(", {}", throttle);
  if (depth > 1)
    list += fmt::format(", {}", depth);
  return "heddle::Tasks<" + list + ">";
}

std::string TaskShape::parameter() const {
  return fmt::format("const heddle::{} &{}", isItem ? "Item" : "Task", task);
}

bool SharedVariable::isDynamic() const { return variable->hasExternalStorage(); }

std::vector<SharedVariable> sharedVariablesOf(const FunctionDecl *function) {
  SharedFinder finder;
  finder.TraverseStmt(patternOf(function)->getBody());
  return finder.found;
}

TaskUses TaskUses::of(const FunctionDecl *function) {
  TaskUses all{Uses::of(function->getBody()), sharedVariablesOf(function)};
  for (const DiscardedCode &discarded : discardedCode(function))
    llvm::append_range(all.uses.builtins, discarded.uses.builtins);
  return all;
}

TaskUses TaskUses::ofAll(const std::vector<const Kernel *> &instances) {
  TaskUses all;
  for (const Kernel *instance : instances) {
    const TaskUses own = of(instance->function);
    llvm::append_range(all.uses.builtins, own.uses.builtins);
    if (all.shared.empty())
      all.shared = own.shared;
  }
  return all;
}

bool TaskUses::needsTask(const TaskShape &shape) const {
  if (shape.isItem)
    return uses.mentions(BuiltinKind::ThreadIdx) || uses.mentions(BuiltinKind::BlockIdx);
  return uses.mentions(BuiltinKind::BlockIdx) || uses.mentions(BuiltinKind::GridDim) ||
         std::ranges::any_of(shared, [](const SharedVariable &each) { return each.isDynamic(); });
}

bool TaskUses::needsChange(const TaskShape &shape) const {
  if (shape.isItem)
    return needsTask(shape);
  return needsTask(shape) || !shared.empty() || uses.mentions(BuiltinKind::ThreadIdx, 2) ||
         uses.mentions(BuiltinKind::BlockDim, 2);
}

std::vector<Replacement> taskEditsIn(const Unit &unit, const FunctionDecl *function, const TaskUses &uses,
                                     const TaskShape &shape) {
  const source::Rewriter text(unit);
  std::vector<Replacement> edits;
  Code first = substitutes(uses, shape);
  for (const SharedVariable &shared : uses.shared) {
    const std::string name = shared.variable->getNameAsString();
    if (!shared.statement)
      first.add(ownPartOf(shared, "::" + name, shape));
    else
      edits.push_back(tokenReplaced(shared.variable->getLocation(),
                                    shared.isDynamic() ? name + "OfWarps"
                                                       : fmt::format("{}OfWarps[{}]", name, shape.warps)));
  }
  // One declaration may hold several variables; what represents them follows all of it.
  std::map<const DeclStmt *, Code> behind;
  for (const SharedVariable &shared : uses.shared)
    if (shared.statement)
      behind[shared.statement].add(ownPartOf(shared, shared.variable->getNameAsString() + "OfWarps", shape));
  for (const auto &[statement, lines] : behind)
    edits.push_back(
        tokenReplaced(statement->getEndLoc(), Code(";").add(lines).str(text.indentOf(statement))));
  if (!first.empty())
    edits.push_back(
        tokenReplaced(function->getBody()->getBeginLoc(),
                      Code("{").addDeeper(first).str(text.indentOf(function->getBody()->getEndLoc()))));
  return edits;
}

} // namespace heddle::transform
