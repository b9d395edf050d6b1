// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "transform/PlainIndices.h"

#include "analysis/CallEffects.h"
#include "source/Unit.h"

#include <clang/AST/ExprCXX.h>

using namespace clang;

namespace heddle::transform {

namespace {

/// What a member function of a thread block gives, and how a transform would rather see it.
struct Meaning {
  const char *member;
  const char *inOneDimension, *inAll;
};
constexpr const char *rank = "(threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z))";
constexpr const char *blockSize = "(blockDim.x * blockDim.y * blockDim.z)";
constexpr Meaning meanings[] = {
    {"thread_rank", "threadIdx.x", rank},     {"size", "blockDim.x", blockSize},
    {"num_threads", "blockDim.x", blockSize}, {"thread_index", "threadIdx", "threadIdx"},
    {"group_index", "blockIdx", "blockIdx"},  {"group_dim", "blockDim", "blockDim"},
    {"dim_threads", "blockDim", "blockDim"},
};

/// The member of a thread block that is called; null for other calls. It may be inherited or static: what
/// counts is the object as written.
const CXXMethodDecl *memberOfBlock(const CallExpr *call) {
  auto *callee = dyn_cast<MemberExpr>(call->getCallee()->IgnoreParenImpCasts());
  auto *method = callee ? dyn_cast<CXXMethodDecl>(callee->getMemberDecl()) : nullptr;
  if (!method || !method->getIdentifier())
    return nullptr;
  QualType type = callee->getBase()->IgnoreParenImpCasts()->getType();
  return analysis::groupKind(type) == analysis::GroupKind::Block ? method : nullptr;
}

} // namespace

std::optional<Needs> writePlainIndices(Context &context, const Kernel &kernel) {
  const KernelFacts &facts = context.facts(kernel);
  bool isFlat = facts.launch.block[1] == 1 && facts.launch.block[2] == 1 && !facts.launchesDisagree;
  source::Edits edits;
  for (const CallExpr *call : Uses::of(kernel.function->getBody()).calls) {
    const CXXMethodDecl *member = memberOfBlock(call);
    if (!member)
      continue;
    for (const Meaning &meaning : meanings)
      if (member->getName() == meaning.member)
        edits.replace(*kernel.unit, call->getSourceRange(), isFlat ? meaning.inOneDimension : meaning.inAll);
  }
  return neededEdits("plain-indices", std::move(edits));
}

} // namespace heddle::transform
