// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which answers of a cooperative group depend on the block.
//
// A tile of a warp has two kinds of members. Those about its threads (thread_rank, shfl, ballot, size) are decided by the lane. Those
// about the tile itself (meta_group_rank, meta_group_size) are decided by its parent: of a tile of the block they are
// the thread's rank in the block and the size of the block, each divided by the tile. Who the parent is can be read
// from the type where it has not been dropped: thread_block_tile<32, thread_block>, but thread_block_tile<32> for a
// tile of anything.
#include "analysis/GroupCalls.h"

#include "analysis/ThreadBuiltins.h"
#include "analysis/warp/WarpFunctions.h"

#include <clang/AST/DeclTemplate.h>
#include <clang/AST/ExprCXX.h>

using namespace clang;

namespace heddle::analysis {
namespace {

bool isOfWarp(GroupKind group) {
  return group == GroupKind::WarpTile || group == GroupKind::SmallTile || group == GroupKind::Coalesced;
}

/// The second argument of thread_block_tile<32, Parent>; null where there is none.
QualType parentOf(const QualType &type) {
  const auto *tile =
      dyn_cast_or_null<ClassTemplateSpecializationDecl>(type.getNonReferenceType()->getAsCXXRecordDecl());
  if (!tile || tile->getTemplateArgs().size() < 2)
    return {};
  const TemplateArgument &parent = tile->getTemplateArgs()[1];
  return parent.getKind() == TemplateArgument::Type ? parent.getAsType() : QualType();
}

} // namespace

QualType groupTypeOf(const CallExpr *call) {
  // Members of a tile are those of base classes, and some are static: what counts is the object as written.
  if (auto *member = dyn_cast<MemberExpr>(call->getCallee()->IgnoreParenImpCasts()))
    return member->getBase()->IgnoreParenImpCasts()->getType();
  return call->getNumArgs() > 0 ? call->getArg(0)->IgnoreParenImpCasts()->getType() : QualType();
}

std::optional<int64_t> sizeOfTileOfBlock(const QualType &type) {
  const GroupKind kind = groupKind(type);
  const QualType parent = parentOf(type);
  const bool isTile =
      kind == GroupKind::WarpTile || kind == GroupKind::SmallTile || kind == GroupKind::LargeTile;
  if (!isTile || parent.isNull() || groupKind(parent) != GroupKind::Block)
    return std::nullopt;
  auto *tile = cast<ClassTemplateSpecializationDecl>(type.getNonReferenceType()->getAsCXXRecordDecl());
  return tile->getTemplateArgs()[0].getAsIntegral().getExtValue();
}

bool dependsOnBlock(const CallExpr *call) {
  const FunctionDecl *callee = calleeOf(call);
  if (!callee || !callee->getIdentifier() || !isOfNamespace(callee, "cooperative_groups"))
    return false;
  const llvm::StringRef name = callee->getName();
  if (name.starts_with("this_") || name == "sync" || name == "tiled_partition" || name == "coalesced_threads")
    return false;
  const QualType type = groupTypeOf(call);
  const GroupKind group = type.isNull() ? GroupKind::None : groupKind(type);
  if (!isOfWarp(group))
    return true; // of a thread_group, too: it may be any of them
  if (group == GroupKind::Coalesced || !name.starts_with("meta_group_"))
    return false;
  const QualType parent = parentOf(type);
  return parent.isNull() || !isOfWarp(groupKind(parent));
}

} // namespace heddle::analysis
