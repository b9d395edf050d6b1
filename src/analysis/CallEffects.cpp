// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How uniform the result of a known function is: what CUDA's own functions and the members of cooperative groups give to a warp, block or grid.
//
// CallEffects.def and GroupEffects.def are the tables. A name may end in or hold one '*', because overloads and suffixed intrinsics behave alike. Members
// of groups depend on the kind of group, which is read from its type: the rank in a block differs by thread, its size does not. Functions of the
// user's with such a name are not looked up: only the global namespace, inline namespaces and cooperative_groups count. What is not in a table is
// followed into its body by the caller, or differs by thread.
#include "analysis/CallEffects.h"

#include <algorithm>

using namespace clang;

namespace heddle::analysis {
namespace {

CallEffect effect(Level level, const char *reason) { return {CallEffect::Kind::Fixed, level, reason}; }
CallEffect effect(CallEffect::Kind kind, const char *reason) { return {kind, Level::Grid, reason}; }

/// The words of the table.
namespace word {
constexpr auto Grid = Level::Grid, Block = Level::Block, Warp = Level::Warp, Thread = Level::Thread;
constexpr auto Exchange = CallEffect::Kind::Exchange, Broadcast = CallEffect::Kind::Broadcast,
               Load = CallEffect::Kind::Load, ReadOnlyLoad = CallEffect::Kind::ReadOnlyLoad,
               Arguments = CallEffect::Kind::Arguments;
} // namespace word

struct CallRow {
  llvm::StringRef name;
  CallEffect effect;
};
const CallRow callRows[] = {
#define EFFECT(name, kind, reason) {name, effect(word::kind, reason)},
#include "analysis/CallEffects.def"
};

struct GroupRow {
  llvm::StringRef name;
  Level block, warpTile, grid;
};
const GroupRow groupRows[] = {
#define GROUP(name, block, tile, grid) {name, word::block, word::tile, word::grid},
#include "analysis/GroupEffects.def"
};

/// `pattern` may hold one * at its end or in its middle.
bool fits(llvm::StringRef name, llvm::StringRef pattern) {
  auto [head, rest] = pattern.split('*');
  if (head.size() == pattern.size())
    return name == pattern;
  if (!name.consume_front(head))
    return false;
  auto [middle, tail] = rest.split('*');
  return rest.empty() || name.contains(middle);
}

CallEffect effectOfGroupMember(llvm::StringRef name, GroupKind group) {
  const char *reason = "what the group object returns";
  if (name == "shfl" && group == GroupKind::WarpTile)
    return effect(CallEffect::Kind::Broadcast, "the value of the lane asked for");
  for (const GroupRow &row : groupRows)
    if (row.name == name) {
      if (group == GroupKind::Block)
        return effect(row.block, reason);
      if (group == GroupKind::WarpTile)
        return effect(row.warpTile, reason);
      if (group == GroupKind::LargeTile) // of the block's threads some, and more than a warp
        return effect(std::max(row.block, row.warpTile), reason);
      if (group == GroupKind::Grid || group == GroupKind::Cluster)
        return effect(row.grid, reason);
      bool isSize = row.warpTile == Level::Grid && group == GroupKind::SmallTile;
      return effect(isSize ? Level::Grid : Level::Thread, reason);
    }
  return effect(Level::Thread, "a collective of the group may differ by thread");
}

} // namespace

GroupKind groupKind(const QualType &type) {
  const auto *record = type.getNonReferenceType()->getAsCXXRecordDecl();
  if (!record || !record->getIdentifier())
    return GroupKind::None;
  bool ours = false;
  for (const DeclContext *scope = record->getDeclContext(); scope; scope = scope->getParent())
    if (auto *space = dyn_cast<NamespaceDecl>(scope); space && space->getIdentifier())
      ours |= space->getName() == "cooperative_groups";
  if (!ours)
    return GroupKind::None;
  llvm::StringRef name = record->getName();
  if (name == "thread_block")
    return GroupKind::Block;
  if (name == "grid_group" || name == "multi_grid_group")
    return GroupKind::Grid;
  if (name == "cluster_group")
    return GroupKind::Cluster;
  if (name == "coalesced_group")
    return GroupKind::Coalesced;
  if (auto *tile = dyn_cast<ClassTemplateSpecializationDecl>(record); tile && name.contains("tile")) {
    const TemplateArgument &size = tile->getTemplateArgs()[0];
    if (size.getKind() == TemplateArgument::Integral) {
      int64_t threads = size.getAsIntegral().getExtValue();
      return threads == 32 ? GroupKind::WarpTile : threads < 32 ? GroupKind::SmallTile : GroupKind::LargeTile;
    }
  }
  return GroupKind::None; // thread_group and similar types: any of them
}

std::optional<CallEffect> effectOfMember(const FunctionDecl *method, const QualType &object) {
  GroupKind group = groupKind(object);
  if (group == GroupKind::None || !method->getIdentifier())
    return std::nullopt;
  return effectOfGroupMember(method->getName(), group);
}

std::optional<CallEffect> effectOf(const FunctionDecl *callee) {
  if (!callee->getIdentifier() || isa<CXXMethodDecl>(callee))
    return std::nullopt;
  llvm::StringRef name = callee->getName();
  const DeclContext *scope = callee->getDeclContext()->getRedeclContext();
  if (auto *space = dyn_cast<NamespaceDecl>(scope); space && !space->isInline() && space->getIdentifier()) {
    if (space->getName() == "cooperative_groups")
      return effect(name.starts_with("this_") || name == "tiled_partition" ? Level::Grid : Level::Thread,
                    "a collective of the group may differ by thread");
    return std::nullopt; // a function of the user's that happens to have a name of ours
  }
  for (const CallRow &row : callRows)
    if (fits(name, row.name))
      return row.effect;
  return std::nullopt;
}

} // namespace heddle::analysis
