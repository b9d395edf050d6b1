// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Why __syncwarp() is enough, and why it is needed: the block is one warp, so every waiting thread is a lane of
// it, and lanes that have returned are waited for by neither. Since Volta lanes of a warp need not run in
// step, and only a synchronization makes what one of them wrote visible to the others. Votes of a warp do not
// (CUDA C++ Programming Guide, warp vote functions), so each comes with a __syncwarp() before it.
#include "transform/consolidate/WarpBarriers.h"

#include "analysis/CallEffects.h"
#include "analysis/StatementShape.h"
#include "source/Mentions.h"
#include "source/Rewriter.h"
#include "source/Unit.h"
#include "support/Text.h"
#include "transform/work/BlockVotes.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/Attr.h>
#include <clang/AST/DeclCXX.h>
#include <clang/AST/DynamicRecursiveASTVisitor.h>
#include <clang/AST/Expr.h>
#include <llvm/ADT/StringSwitch.h>

#include <map>
#include <set>

using namespace clang;

namespace heddle::transform {

namespace {

using analysis::Barrier;

/// What votes of the block become; the vote itself goes where {} is.
const char *warpVoteFor(llvm::StringRef spelling) {
  return llvm::StringSwitch<const char *>(spelling)
      .Case("__syncthreads_or", "__any_sync(0xffffffffu, {})")
      .Case("__syncthreads_and", "__all_sync(0xffffffffu, {})")
      .Case("__syncthreads_count", "__popc(__ballot_sync(0xffffffffu, {}))")
      .Default(nullptr);
}

/// Assembly that does something besides must not go with its barrier.
bool isOneInstruction(const AsmStmt *assembly) {
  auto *written = dyn_cast<GCCAsmStmt>(assembly);
  const std::string text = written ? written->getAsmString() : "";
  return written && !llvm::StringRef(text).rtrim("; \t\n").contains(';');
}

/// The new text of a barrier; nothing where there is none.
std::optional<std::string> textFor(const Unit &unit, const Barrier &barrier) {
  if (auto *assembly = dyn_cast<AsmStmt>(barrier.statement); assembly && !isOneInstruction(assembly))
    return std::nullopt;
  if (!barrier.votes)
    return "__syncwarp()";
  auto *call = dyn_cast<CallExpr>(barrier.statement);
  const char *vote = warpVoteFor(barrier.spelling);
  if (!call || !vote || call->getNumArgs() != 1)
    return std::nullopt;
  const std::string text = source::Rewriter(unit).text(call->getArg(0));
  return text.empty() ? std::nullopt
                      : std::optional("(__syncwarp(), " + fmt::format(fmt::runtime(vote), text) + ")");
}

/// Functions that hold barriers of the block were put in the place of their calls: those that are not used any
/// more need not stay.
class Leftovers : public DynamicRecursiveASTVisitor {
public:
  explicit Leftovers(Context &context) : context(context), unit(context.device()), mentions(unit) {
    TraverseDecl(unit.context().getTranslationUnitDecl());
  }
  bool TraverseDecl(Decl *decl) override {
    const bool isTopLevel =
        decl && decl->getDeclContext() && isa<TranslationUnitDecl>(decl->getDeclContext());
    if (isTopLevel && !unit.isUserCode(decl->getLocation()) && !isa<NamespaceDecl, LinkageSpecDecl>(decl))
      return true;
    return DynamicRecursiveASTVisitor::TraverseDecl(decl);
  }
  bool VisitFunctionDecl(FunctionDecl *function) override {
    if (function->doesThisDeclarationHaveABody() && !isa<CXXMethodDecl>(function) &&
        isOnlyForCalls(function) && mentions.of(function).empty() && holdsBarrier(function))
      context.edits.replace(unit, source::wholeDefinition(unit, function), "");
    return true;
  }

private:
  /// Nothing outside of the file can call it.
  bool isOnlyForCalls(const FunctionDecl *function) const {
    return unit.sources().isWrittenInMainFile(function->getLocation()) &&
           function->hasAttr<CUDADeviceAttr>() && !function->hasAttr<CUDAHostAttr>() &&
           function->getFirstDecl() == function->getMostRecentDecl() &&
           (function->getDescribedFunctionTemplate() || function->isInlineSpecified() ||
            function->hasAttr<AlwaysInlineAttr>() || !function->isExternallyVisible());
  }
  bool holdsBarrier(const FunctionDecl *function) const {
    for (const Stmt *statement : Uses::of(function->getBody()).statements)
      if (auto barrier = analysis::barrierAt(statement, unit.context()))
        if (barrier->scope == Barrier::Scope::Block)
          return true;
    return false;
  }
  Context &context;
  const Unit &unit;
  source::Mentions mentions;
};

/// `cg::thread_block block = cg::this_thread_block();` that nothing but barriers spoke of.
void dropGroups(Context &context, const Kernel &kernel, const std::vector<const Stmt *> &barriers) {
  std::map<const VarDecl *, int> left; // mentions outside of barriers
  const Uses uses = Uses::of(kernel.function->getBody());
  for (const DeclRefExpr *mention : uses.locals)
    ++left[cast<VarDecl>(mention->getDecl())];
  for (const Stmt *barrier : barriers)
    for (const DeclRefExpr *mention : Uses::of(barrier).locals)
      --left[cast<VarDecl>(mention->getDecl())];
  for (const Stmt *statement : uses.statements)
    if (const auto declared = analysis::declaredBy(statement); declared.size() == 1)
      if (analysis::groupKind(declared[0]->getType()) == analysis::GroupKind::Block && left[declared[0]] == 0)
        context.edits.replace(*kernel.unit, source::wholeStatement(*kernel.unit, statement), "");
}

} // namespace

PassResult waitForWarp(Context &context) {
  std::set<unsigned> seen; // instantiations of a template share their text
  std::vector<const Stmt *> replaced;
  unsigned barriers = 0, votes = 0;
  for (const Kernel *kernel : context.target.instances)
    for (const Barrier &barrier : context.facts(*kernel).regions->barriers()) {
      if (barrier.scope != Barrier::Scope::Block ||
          !seen.insert(barrier.statement->getBeginLoc().getRawEncoding()).second)
        continue;
      std::optional<std::string> text = textFor(*kernel->unit, barrier);
      if (!text)
        return context.refuse(kernel->unit->location(barrier.statement),
                              "'{}' has no counterpart within a warp", barrier.spelling);
      context.edits.replace(*kernel->unit, barrier.statement->getSourceRange(), *text);
      ++(barrier.votes ? votes : barriers);
      if (kernel == &context.target.first())
        replaced.push_back(barrier.statement);
    }
  if (barriers + votes == 0)
    return Unchanged();
  Leftovers{context};
  dropGroups(context, context.target.first(), replaced);
  context.done("{} of '{}' became {}", counted(barriers + votes, "barrier"), context.target.name,
               votes == 0      ? "__syncwarp()"
               : barriers == 0 ? "votes of the warp"
                               : "__syncwarp() and votes of the warp");
  return context.edited();
}

} // namespace heddle::transform
