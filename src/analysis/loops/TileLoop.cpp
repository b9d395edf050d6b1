// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops that load a tile into shared memory and compute on it.
//
//     for (int k = 0; k < n; k += 16) {
//       tile[ty][tx] = a[...];            load:     reads global memory, stores what others read
//       __syncthreads();                  fill:     the tile is complete
//       sum += tile[ty][j] * ...;         compute
//       __syncthreads();                  release:  the tile may be overwritten
//     }
//
// 1. The statements of a loop's body are cut into segments at barriers that are statements of the body
//    itself.
// 2. A segment is the load if it reads global memory and stores to a shared array that another segment reads.
//    Exactly one segment may be.
// 3. The barrier after the load fills the tile. The release is the last barrier, or, where the load is not
//    the first segment, the end of the body: then the barrier in front of the load separates it from the
//    iteration before.
// 4. Where no loop fits, the finder reports the closest reason: a tile that is prefetched by hand (stored
//    from what an earlier iteration loaded), or a barrier inside a block of its own.
//
// With a single barrier per iteration the load would overwrite what other threads still read, so that is
// refused, not transformed. Whether the load and the compute part depend on each other through anything but
// the tile is not decided here; specialize checks it. Cost: linear in the accesses of the loop.
#include "analysis/loops/TileLoop.h"

#include "source/Unit.h"
#include "support/LegalityFailure.h"

#include <clang/AST/Attr.h>
#include <clang/AST/Expr.h>

#include <algorithm>

using namespace clang;

namespace heddle::analysis {

std::optional<size_t> TileLoop::indexOf(const KernelNode *node) const {
  for (size_t i = 0; i < body->children.size(); ++i)
    if (node->isIn(statement(i)))
      return i;
  return std::nullopt;
}

bool TileLoop::isInLoad(const KernelNode *node) const {
  std::optional<size_t> index = indexOf(node);
  return index && *index >= loadBegin && *index < fill;
}

bool TileLoop::isInCompute(const KernelNode *node) const {
  std::optional<size_t> index = indexOf(node);
  return index && *index > fill && *index < release;
}

bool storesTo(const CodeFacts &facts, const std::set<const VarDecl *> &arrays) {
  return llvm::any_of(facts.accesses, [&](const Access *access) {
    auto *array = dyn_cast_or_null<VarDecl>(access->array->decl);
    return array && access->isWrite() && arrays.contains(array);
  });
}

bool declaresOneOf(const KernelNode &node, const std::set<const VarDecl *> &arrays) {
  auto *declaration = dyn_cast<DeclStmt>(node.statement);
  return declaration && llvm::any_of(declaration->decls(), [&](const Decl *each) {
           auto *variable = dyn_cast<VarDecl>(each);
           return variable && arrays.contains(variable);
         });
}

std::set<const VarDecl *> sharedMentions(const CodeFacts &facts) {
  std::set<const VarDecl *> found;
  for (const Stmt *part : facts.uses.statements)
    if (auto *reference = dyn_cast<DeclRefExpr>(part))
      if (auto *variable = dyn_cast<VarDecl>(reference->getDecl());
          variable && variable->hasAttr<CUDASharedAttr>())
        found.insert(variable);
  return found;
}

namespace {

/// Statements of a loop's body between two barriers: [begin, end).
struct Segment {
  size_t begin = 0, end = 0;
  std::set<const VarDecl *> stored, read; ///< shared arrays
  bool loadsGlobal = false;
  bool empty() const { return begin == end; }
};

class TileLoopFinder {
public:
  TileLoopFinder(const source::Kernel &kernel, const KernelView &view) : kernel(kernel), view(view) {}

  std::variant<std::vector<TileLoop>, Diagnostic> find() {
    for (const KernelNode *node : view.nodes()) {
      const bool isCandidate = !view.isLeaf(*node) && node->kind == KernelNode::Kind::Loop &&
                               node->children[0]->kind == KernelNode::Kind::Block;
      if (isCandidate && !consider(*node))
        return *trouble;
    }
    if (!found.empty())
      return found;
    if (prefetched)
      return legalityFailure(
          view.location(*prefetched),
          "what is stored here was loaded in an earlier iteration: the tile is prefetched by hand");
    if (enclosed)
      return legalityFailure(
          view.location(*enclosed),
          "a barrier in a block of its own, as written or after inlining a function: load, barrier and "
          "computation must be statements of the loop itself");
    return legalityFailure(kernel.location, "there is no loop that loads a tile into shared memory, "
                                            "synchronizes, computes on it and synchronizes again");
  }

private:
  bool consider(const KernelNode &loop) {
    const KernelNode &body = *loop.children[0];
    std::vector<size_t> barriers;
    for (size_t i = 0; i < body.children.size(); ++i)
      if (body.children[i]->kind == KernelNode::Kind::Barrier)
        barriers.push_back(i);
    for (const auto &child : body.children)
      if (child->kind == KernelNode::Kind::Block && holdsBarrier(*child) && !enclosed)
        enclosed = child.get();
    if (barriers.empty())
      return true;
    std::vector<Segment> segments = segmentsOf(body, barriers);
    std::vector<size_t> loads;
    for (size_t s = 0; s < segments.size(); ++s)
      if (isLoad(segments, s))
        loads.push_back(s);
    for (size_t s = 0; s < segments.size() && loads.empty() && !prefetched; ++s)
      if (feedsOthers(segments, s) && !segments[s].loadsGlobal &&
          std::ranges::any_of(segments, &Segment::loadsGlobal))
        prefetched = storeIn(body, segments[s]);
    if (loads.empty())
      return true;
    if (loads.size() > 1)
      return refuse(*body.children[segments[loads[1]].begin],
                    "an iteration of the loop loads two tiles, one after the other");
    return take(loop, segments, barriers, loads[0]);
  }

  bool holdsBarrier(const KernelNode &node) const {
    return llvm::any_of(view.all(node),
                        [](const KernelNode *each) { return each->kind == KernelNode::Kind::Barrier; });
  }

  std::vector<Segment> segmentsOf(const KernelNode &body, const std::vector<size_t> &barriers) const {
    std::vector<Segment> segments(1);
    for (size_t i = 0; i < body.children.size(); ++i) {
      if (std::ranges::find(barriers, i) != barriers.end()) {
        segments.back().end = i;
        segments.push_back({i + 1, i + 1, {}, {}});
        continue;
      }
      segments.back().end = i + 1;
      // A loop with barriers of its own is not part of a load.
      if (holdsBarrier(*body.children[i]))
        continue;
      for (const KernelNode *node : view.all(*body.children[i]))
        for (const Access *access : view.facts(*node).accesses)
          add(*access, segments.back());
    }
    return segments;
  }

  static void add(const Access &access, Segment &segment) {
    const Array::Space space = access.array->space;
    segment.loadsGlobal |=
        access.isRead() && (space == Array::Space::Global || space == Array::Space::Unknown);
    auto *variable = dyn_cast_or_null<VarDecl>(access.array->decl);
    if (space != Array::Space::Shared || !variable)
      return;
    if (access.isWrite())
      segment.stored.insert(variable);
    if (access.isRead())
      segment.read.insert(variable);
  }

  /// Stores what others read, and loads from global memory.
  static bool isLoad(const std::vector<Segment> &segments, size_t index) {
    return segments[index].loadsGlobal && feedsOthers(segments, index);
  }
  static bool feedsOthers(const std::vector<Segment> &segments, size_t index) {
    return std::ranges::any_of(segments[index].stored, [&](const VarDecl *array) {
      for (size_t other = 0; other < segments.size(); ++other)
        if (other != index && segments[other].read.contains(array))
          return true;
      return false;
    });
  }

  const KernelNode *storeIn(const KernelNode &body, const Segment &segment) const {
    for (size_t i = segment.begin; i < segment.end; ++i)
      for (const KernelNode *node : view.all(*body.children[i]))
        if (view.facts(*node).stores(Array::Space::Shared))
          return node;
    return nullptr;
  }

  bool take(const KernelNode &loop, const std::vector<Segment> &segments, const std::vector<size_t> &barriers,
            size_t load) {
    TileLoop tile;
    tile.loop = &loop;
    tile.body = loop.children[0].get();
    const KernelNode &first = *tile.statement(segments[load].begin);
    if (barriers.size() == 1)
      return refuse(first, "the loop synchronizes only once per iteration, so this may overwrite what other "
                           "threads still read");
    if (load + 1 == segments.size())
      return refuse(first, "the tile is loaded after the loop's last barrier, for the next iteration: it is "
                           "prefetched by hand");
    tile.loadBegin = segments[load].begin;
    tile.fill = barriers[load];
    const bool loadsFirst = load == 0;
    if (loadsFirst) {
      tile.release = barriers.back();
    } else {
      tile.before = barriers[load - 1];
      tile.release = tile.body->children.size();
      // With a barrier at the end as well, that one releases the tile.
      if (segments.back().empty())
        tile.release = barriers.back();
    }
    for (const VarDecl *array : segments[load].stored)
      tile.tiles.insert(array);
    found.push_back(std::move(tile));
    return true;
  }

  bool refuse(const KernelNode &at, const std::string &why) {
    trouble = legalityFailure(view.location(at), why);
    return false;
  }

  const source::Kernel &kernel;
  const KernelView &view;
  std::vector<TileLoop> found;
  const KernelNode *prefetched = nullptr; ///< a store that looks like a tile's, but of what was loaded before
  const KernelNode *enclosed = nullptr;   ///< a block in a loop's body that holds a barrier
  std::optional<Diagnostic> trouble;
};

} // namespace

std::variant<std::vector<TileLoop>, Diagnostic> findTileLoops(const source::Kernel &kernel,
                                                              const KernelView &view) {
  return TileLoopFinder(kernel, view).find();
}

} // namespace heddle::analysis
