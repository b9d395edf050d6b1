// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "analysis/KernelFacts.h"
#include "transform/work/BlockVotes.h"
#include "transform/work/HeadWork.h"

#include <clang/Basic/SourceLocation.h>

#include <map>
#include <optional>
#include <variant>
#include <vector>

namespace clang {
class DeclStmt;
class Stmt;
class VarDecl;
} // namespace clang

namespace heddle::transform {

using analysis::KernelNode;

/// A direction in which threads (or blocks) are merged: 0, 1, 2 for threadIdx.x, .y, .z; 3 for blockIdx.x.
struct Axis {
  static constexpr unsigned grid = 3;
  unsigned dimension = 0;
  unsigned factor = 1;
};

/// How many threads (or blocks) are merged.
unsigned itemsOf(const std::vector<Axis> &axes);

/// What becomes of a statement.
struct Work {
  enum class Role {
    Once,      ///< the same for all work items: done once
    Item,      ///< done for each work item
    Structure, ///< a loop, branch or block that stays around work loops
    Fixed,     ///< a barrier, a case label, a jump of the structure: stays where it is
  };
  static constexpr unsigned once = ~0u;
  Role role = Role::Item;
  const KernelNode *parent = nullptr; ///< the structure around it; null at the kernel's top
  std::optional<BlockVote> vote;      ///< Fixed: a barrier at which the block votes
  bool isJammed = false;              ///< a loop without barrier that work loops were moved into
  bool hasReuse = false;              ///< isJammed, because merged threads read the same elements in it
  unsigned group = once;              ///< number of the work loop that it is in
};

/// The statements of a `{}`, or the single statement in its place.
struct WorkBody {
  const KernelNode *owner = nullptr;
  std::vector<const KernelNode *> nodes; ///< that something is decided about, in the order of the text

  /// How they are executed, in order: one node as it is, or several in a work loop.
  struct Segment {
    unsigned group = Work::once; ///< number of the work loop
    std::vector<const KernelNode *> nodes;
  };
  std::vector<Segment> segments;

  bool isBraced() const { return owner->kind == KernelNode::Kind::Block; }
};

/// How a variable that differs by work item is kept.
enum class Keep {
  Plain,     ///< all mentions are in one work loop: as it is
  Recompute, ///< recomputed in each work loop that mentions it: cheap and never changed, or set there
             ///< anyway
  Array,     ///< one element for each work item
};

/// What an element of such an array holds.
enum class ItemStorage {
  Elements, ///< a variable of the same type, which is assigned its first value
  Pointers, ///< a reference: the address of what it refers to
  Slots,    ///< an object that must be constructed in its place: room for one, in a union
};

struct ItemVariable {
  const clang::VarDecl *variable = nullptr;
  bool differs = false; ///< by work item; a plan that is done has no others
  Keep keep = Keep::Plain;
  const KernelNode *declaredBy = nullptr;      ///< null for a parameter
  unsigned declaredIn = Work::once;            ///< number of a work loop
  std::vector<unsigned> groups;                ///< that mention it, in order
  bool inHeader = false;                       ///< a condition of the structure reads it
  bool isVoted = false;                        ///< at a barrier at which the block votes
  ItemStorage storage = ItemStorage::Elements; ///< Array: what the elements are
};

/// What each statement of a kernel becomes when threads are merged: which work is done once, which in work
/// loops, and what happens to the values that go from one work loop to another.
///
/// Relied on: barriers are not divergent, and the kernel has no races. So between two barriers the items may
/// run in any order, one after the other or statement by statement.
struct WorkPlan {
  const analysis::KernelTree *tree = nullptr;
  std::vector<Work> work;                ///< by the node's id
  std::vector<const KernelNode *> nodes; ///< that something is decided about, in the order of the text
  std::map<unsigned, WorkBody> bodies;   ///< by the owner's id
  struct Group {
    std::vector<const KernelNode *> nodes;
    const KernelNode *parent = nullptr; ///< the structure around it
    bool exits = false;                 ///< a work item may return here while others, or later work, go on
    bool isLast = false;                ///< nothing of the kernel comes after it
    bool checksActive = false;          ///< items may have returned before
  };
  std::vector<Group> groups;
  std::vector<ItemVariable> variables; ///< in order of declaration
  bool needsActive = false;

  const Work &of(const KernelNode &node) const { return work[node.id]; }
  Work &of(const KernelNode &node) { return work[node.id]; }
  const WorkBody &root() const { return bodies.at(tree->root().id); }
  /// Of a structure, in the order of the text.
  std::vector<const WorkBody *> bodiesOf(const KernelNode &node) const;
  /// What is mentioned in the text that a decision is about: a structure's head, or all of a statement.
  const Uses &usesOf(const KernelNode &node) const;
  /// A number for each body that no node has.
  unsigned idOf(const WorkBody &body) const { return unsigned(tree->nodes().size()) + body.owner->id; }
  /// With its semicolon; of a case its label only.
  clang::SourceRange rangeOf(const KernelNode &node) const;
  const ItemVariable *find(const clang::VarDecl *variable) const;
};

/// What must be done to the kernel's text before there can be a plan.
struct NeededFirst {
  std::vector<HeadWork> heads;                   ///< to be taken apart
  std::vector<const clang::DeclStmt *> nameless; ///< that define a type of which arrays must be declared
};

/// The plan; the reason why there is none; or what must be done first.
std::variant<WorkPlan, Diagnostic, NeededFirst> planWork(const KernelFacts &facts,
                                                         const std::vector<Axis> &axes);

} // namespace heddle::transform
