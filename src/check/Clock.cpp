// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A warp has one number, its floor, as long as its lanes are known alike, and a row of 32 beside it otherwise.
// Rows are shared between clocks and replaced, never changed, when they differ; a row that says no more than the
// floor goes away. Joining is the maximum, number by number.
//
// What a thread knows is shared in the same way: most joins are of a thread that knows everything the other does,
// and then `joined` returns one of the two, so that threads that agree hold the same pointer. Comparing pointers
// is what makes the common case cheap.
#include "check/Clock.h"

#include <algorithm>
#include <bit>

namespace heddle::check {

Stamp BlockClock::least() const {
  return realWarps ? *std::min_element(floors.begin(), floors.begin() + realWarps) : 0;
}

void BlockClock::raiseWarp(unsigned warp, Stamp stamp) {
  if (floors[warp] >= stamp)
    return;
  floors[warp] = stamp;
  if (rows.empty() || !rows[warp])
    return;
  if (std::all_of(rows[warp]->begin(), rows[warp]->end(), [&](Stamp lane) { return lane <= stamp; }))
    rows[warp] = nullptr;
}

BlockClock::Row &BlockClock::rowOf(unsigned warp) {
  if (rows.empty())
    rows.resize(floors.size());
  Row row;
  if (rows[warp])
    row = *rows[warp];
  else
    row.fill(floors[warp]);
  auto fresh = std::make_shared<Row>(row);
  rows[warp] = fresh;
  return *fresh;
}

void BlockClock::raiseLanes(unsigned warp, uint32_t lanes, Stamp stamp) {
  if (lanes == ~0u)
    return raiseWarp(warp, stamp);
  if (floors[warp] >= stamp || !lanes)
    return;
  Row &row = rowOf(warp);
  Stamp lowest = ~Stamp(0), highest = 0;
  for (unsigned lane = 0; lane < 32; ++lane) {
    if (lanes >> lane & 1)
      row[lane] = std::max(row[lane], stamp);
    lowest = std::min(lowest, row[lane]), highest = std::max(highest, row[lane]);
  }
  floors[warp] = std::max(floors[warp], lowest);
  if (highest <= floors[warp])
    rows[warp] = nullptr;
}

void BlockClock::join(const BlockClock &other) {
  for (unsigned w = 0; w < floors.size(); ++w)
    raiseWarp(w, other.floors[w]);
  if (other.rows.empty())
    return;
  for (unsigned w = 0; w < floors.size(); ++w) {
    if (!other.rows[w] || (!rows.empty() && rows[w] == other.rows[w]))
      continue;
    const Row &theirs = *other.rows[w];
    Row &mine = rowOf(w);
    Stamp lowest = ~Stamp(0), highest = 0;
    for (unsigned lane = 0; lane < 32; ++lane) {
      mine[lane] = std::max(mine[lane], theirs[lane]);
      lowest = std::min(lowest, mine[lane]), highest = std::max(highest, mine[lane]);
    }
    floors[w] = std::max(floors[w], lowest);
    if (highest <= floors[w])
      rows[w] = nullptr;
  }
}

bool BlockClock::covers(const BlockClock &other) const {
  for (unsigned w = 0; w < floors.size(); ++w) {
    if (floors[w] < other.floors[w])
      return false;
    if (other.rows.empty() || !other.rows[w] || (!rows.empty() && rows[w] == other.rows[w]))
      continue;
    for (unsigned lane = 0; lane < 32; ++lane)
      if (of(w, lane) < (*other.rows[w])[lane])
        return false;
  }
  return true;
}

// --- all that a thread knows ------------------------------------------------------------------------------

namespace {

using ForeignRef = std::shared_ptr<const Foreign>;

bool covers(const ForeignRef &a, const ForeignRef &b) {
  if (a == b || !b)
    return true;
  if (!a)
    return false;
  auto at = a->begin();
  for (const auto &[block, clock] : *b) {
    while (at != a->end() && at->first < block)
      ++at;
    if (at == a->end() || at->first != block || (at->second != clock && !at->second->covers(*clock)))
      return false;
  }
  return true;
}

std::shared_ptr<const BlockClock> unite(const std::shared_ptr<const BlockClock> &a,
                                        const std::shared_ptr<const BlockClock> &b) {
  if (a == b || a->covers(*b))
    return a;
  if (b->covers(*a))
    return b;
  auto both = std::make_shared<BlockClock>(*a);
  both->join(*b);
  return both;
}

ForeignRef unite(const ForeignRef &a, const ForeignRef &b) {
  if (covers(a, b))
    return a;
  if (covers(b, a))
    return b;
  auto all = std::make_shared<Foreign>();
  all->reserve(a->size() + b->size());
  auto x = a->begin(), y = b->begin();
  while (x != a->end() || y != b->end()) {
    if (y == b->end() || (x != a->end() && x->first < y->first))
      all->push_back(*x++);
    else if (x == a->end() || y->first < x->first)
      all->push_back(*y++);
    else
      all->push_back({x->first, unite(x->second, y->second)}), ++x, ++y;
  }
  return all;
}

bool covers(const Known &a, const Known &b) {
  const auto part = [](const KnownRef &of, const KnownRef &wanted) {
    return of == wanted || !wanted || (of && covers(*of, *wanted));
  };
  return a.own.covers(b.own) && covers(a.foreign, b.foreign) && part(a.fenced, b.fenced) &&
         part(a.flushedToBlock, b.flushedToBlock) && part(a.flushedToDevice, b.flushedToDevice);
}

} // namespace

const BlockClock *Known::of(uint32_t block) const {
  if (!foreign)
    return nullptr;
  auto at = std::lower_bound(foreign->begin(), foreign->end(), block,
                             [](const auto &entry, uint32_t wanted) { return entry.first < wanted; });
  return at != foreign->end() && at->first == block ? at->second.get() : nullptr;
}

void Known::join(const Known &other) {
  own.join(other.own);
  foreign = unite(foreign, other.foreign);
  fenced = joined(fenced, other.fenced);
  flushedToBlock = joined(flushedToBlock, other.flushedToBlock);
  flushedToDevice = joined(flushedToDevice, other.flushedToDevice);
}

void Known::joinForeign(uint32_t block, const Known &other) {
  auto theirs = std::make_shared<Foreign>();
  theirs->push_back({block, std::make_shared<const BlockClock>(other.own)});
  foreign = unite(unite(foreign, other.foreign), theirs);
}

KnownRef Known::settle() && {
  least = own.least();
  return std::make_shared<const Known>(std::move(*this));
}

KnownRef joined(const KnownRef &a, const KnownRef &b) {
  if (!b || a == b)
    return a;
  if (!a)
    return b;
  if (covers(*a, *b))
    return a;
  if (covers(*b, *a))
    return b;
  Known both = *a;
  both.join(*b);
  return std::move(both).settle();
}

} // namespace heddle::check
