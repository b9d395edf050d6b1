// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/warp/WarpFunctions.h"

#include "analysis/CallEffects.h"
#include "analysis/Execution.h"
#include "analysis/Uses.h"
#include "source/Unit.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/ExprCXX.h>

#include <algorithm>

using namespace clang;

namespace heddle::analysis {
namespace {

/// Functions through which threads of a warp speak with each other; a name that ends in * represents all that
/// begin so.
constexpr const char *warpFunctions[] = {"__shfl*",       "__any*",
                                         "__all*",        "__ballot*",
                                         "__uni*",        "__match_*",
                                         "__reduce_*",    "__syncwarp",
                                         "__activemask",  "__nvvm_shfl*",
                                         "__nvvm_vote*",  "__nvvm_match*",
                                         "__nvvm_redux*", "__nvvm_bar_warp_sync",
                                         "__lane_id",     "__nvvm_read_ptx_sreg_lane*"};

/// Clang's names for the special registers of threadIdx and similar variables.
constexpr const char *indexFunctions[] = {"__nvvm_read_ptx_sreg_tid_*",    "__nvvm_read_ptx_sreg_ntid_*",
                                          "__nvvm_read_ptx_sreg_ctaid_*",  "__nvvm_read_ptx_sreg_nctaid_*",
                                          "__nvvm_read_ptx_sreg_warpid",   "__nvvm_read_ptx_sreg_nwarpid",
                                          "__nvvm_read_ptx_sreg_cluster_*"};

/// Special registers that assembly may read without the compiler's knowledge.
constexpr const char *indexRegisters[] = {"%tid", "%ntid", "%ctaid", "%nctaid", "%warpid", "%nwarpid"};
constexpr const char *laneRegisters[] = {"%laneid", "%lanemask", "shfl.", "vote.",
                                         "match.",  "redux.",    "mma."};

} // namespace

bool isOneOf(llvm::StringRef name, llvm::ArrayRef<const char *> patterns) {
  return std::any_of(patterns.begin(), patterns.end(), [&](llvm::StringRef pattern) {
    return pattern.ends_with("*") ? name.starts_with(pattern.drop_back()) : name == pattern;
  });
}

const char *firstWordIn(const GCCAsmStmt *assembly, llvm::ArrayRef<const char *> words) {
  const std::string text = assembly->getAsmString();
  const auto found = llvm::find_if(words, [&](llvm::StringRef word) { return text.find(word) != text.npos; });
  return found == words.end() ? nullptr : *found;
}

bool isOfNamespace(const FunctionDecl *function, llvm::StringRef name) {
  for (const DeclContext *scope = function->getDeclContext(); scope; scope = scope->getParent())
    if (auto *space = dyn_cast<NamespaceDecl>(scope);
        space && space->getIdentifier() && space->getName() == name)
      return true;
  return false;
}

bool isWarpFunction(const FunctionDecl *function) {
  return function->getIdentifier() && isOneOf(function->getName(), warpFunctions);
}

bool readsIndexItself(const FunctionDecl *function) {
  return function->getIdentifier() && isOneOf(function->getName(), indexFunctions);
}

bool readsIndex(const GCCAsmStmt *assembly) { return firstWordIn(assembly, indexRegisters); }
bool readsLanes(const GCCAsmStmt *assembly) { return firstWordIn(assembly, laneRegisters); }

const Stmt *findWarpFunction(const source::Kernel &kernel) {
  const Reach reach = Reach::of(kernel.function, *kernel.unit);
  for (const Reached &reached : reach.all()) {
    const Uses uses = reached.uses();
    for (const Stmt *statement : uses.statements)
      if (auto *assembly = dyn_cast<GCCAsmStmt>(statement))
        if (readsLanes(assembly))
          return reached.isLibrary ? reached.inKernel() : statement;
    for (const CallExpr *call : uses.calls) {
      const FunctionDecl *callee = calleeOf(call);
      if (!callee || !callee->getIdentifier() || kernel.unit->isUserCode(callee->getLocation()))
        continue;
      if (isWarpFunction(callee) || isOfNamespace(callee, "wmma") ||
          (isOfNamespace(callee, "cooperative_groups") && callee->getName() != "sync" &&
           !callee->getName().starts_with("this_")))
        return reached.isLibrary ? reached.inKernel() : call;
    }
  }
  return nullptr;
}

} // namespace heddle::analysis
