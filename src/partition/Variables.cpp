// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// As in the coalescing of register allocators: classes of webs grow by what shared instructions ask for, in
// the order of the text, and a wish that would merge two webs of one warp is refused. A warp comes to a
// place with all of its operands or with none, so classes are joined on trial and divided again where one of
// them fails.
#include "partition/Variables.h"

#include <algorithm>
#include <optional>

namespace heddle::partition {
namespace {

class Classes {
public:
  explicit Classes(const std::vector<PieceList> &warps) {
    for (unsigned warp = 0; warp < warps.size(); ++warp) {
      first.push_back(unsigned(lives.size()));
      for (const Web &web : warps[warp].webs)
        lives.push_back({warp, web.begin, web.end});
    }
    for (unsigned i = 0; i < lives.size(); ++i) {
      classOf.push_back(i);
      members.push_back({i});
    }
  }

  unsigned of(unsigned warp, unsigned web) const { return classOf[first[warp] + web]; }

  /// Joins pairs of classes, all of them or none.
  bool join(const std::vector<std::pair<unsigned, unsigned>> &webs) {
    const size_t before = journal.size();
    for (auto [a, b] : webs)
      if (!join(classOf[a], classOf[b])) {
        while (journal.size() > before)
          undo();
        return false;
      }
    return true;
  }

  unsigned number(unsigned warp, unsigned web) const { return first[warp] + web; }

private:
  struct Life {
    unsigned warp, begin, end;
  };
  struct Joined {
    unsigned into, gone;
    size_t size;
  };
  std::vector<unsigned> first; ///< web of each warp, in the numbering of all
  std::vector<Life> lives;
  std::vector<unsigned> classOf;
  std::vector<std::vector<unsigned>> members;
  std::vector<Joined> journal;

  bool meet(unsigned a, unsigned b) const {
    for (unsigned x : members[a])
      for (unsigned y : members[b])
        if (lives[x].warp == lives[y].warp && lives[x].begin <= lives[y].end &&
            lives[y].begin <= lives[x].end)
          return true;
    return false;
  }

  bool join(unsigned a, unsigned b) {
    if (a == b)
      return true;
    if (meet(a, b))
      return false;
    if (members[a].size() < members[b].size())
      std::swap(a, b);
    journal.push_back({a, b, members[a].size()});
    for (unsigned member : members[b])
      classOf[member] = a;
    members[a].insert(members[a].end(), members[b].begin(), members[b].end());
    return true;
  }

  void undo() {
    const Joined last = journal.back();
    journal.pop_back();
    members[last.into].resize(last.size);
    for (unsigned member : members[last.gone])
      classOf[member] = last.gone;
  }
};

/// The webs that a piece touches, by operand.
std::vector<unsigned> operandsOf(const Piece &piece) {
  std::vector<unsigned> all = piece.reads;
  all.insert(all.end(), piece.writes.begin(), piece.writes.end());
  return all;
}

class Naming {
public:
  Naming(const std::vector<PieceList> &warps) : warps(warps), classes(warps) {}

  /// The place, and after it places for warps that cannot share it.
  std::vector<Place> settle(Place place) {
    std::vector<Place> result;
    for (;;) {
      Place refused = {std::vector(place.pieces.size(), Piece::none)};
      bool isRefused = false;
      std::optional<unsigned> first;
      for (unsigned warp = 0; warp < place.pieces.size(); ++warp) {
        if (place.pieces[warp] == Piece::none)
          continue;
        if (!first) {
          first = warp;
        } else if (!agree(*first, warp, place)) {
          std::swap(refused.pieces[warp], place.pieces[warp]);
          isRefused = true;
        }
      }
      result.push_back(std::move(place));
      if (!isRefused)
        return result;
      place = std::move(refused);
    }
  }

  Variables number(const std::vector<Place> &places) const {
    Variables variables;
    for (const PieceList &list : warps)
      variables.ofWeb.emplace_back(list.webs.size(), Piece::none);
    std::vector<unsigned> numbers;
    const auto touch = [&](unsigned warp, unsigned web) {
      const unsigned cls = classes.of(warp, web);
      if (cls >= numbers.size())
        numbers.resize(cls + 1, Piece::none);
      if (numbers[cls] == Piece::none)
        numbers[cls] = variables.count++;
      variables.ofWeb[warp][web] = numbers[cls];
    };
    for (const Place &place : places)
      for (unsigned warp = 0; warp < place.pieces.size(); ++warp)
        if (place.pieces[warp] != Piece::none)
          for (unsigned web : operandsOf(warps[warp].pieces[place.pieces[warp]]))
            touch(warp, web);
    return variables;
  }

private:
  const std::vector<PieceList> &warps;
  Classes classes;

  bool agree(unsigned a, unsigned b, const Place &place) {
    const std::vector<unsigned> ofA = operandsOf(warps[a].pieces[place.pieces[a]]),
                                ofB = operandsOf(warps[b].pieces[place.pieces[b]]);
    std::vector<std::pair<unsigned, unsigned>> pairs;
    for (size_t i = 0; i < ofA.size(); ++i)
      pairs.emplace_back(classes.number(a, ofA[i]), classes.number(b, ofB[i]));
    return classes.join(pairs);
  }
};

/// What a variable is needed for, warp by warp.
using Lives = std::vector<std::vector<std::pair<unsigned, unsigned>>>;

bool meet(const Lives &a, const Lives &b) {
  for (size_t warp = 0; warp < a.size(); ++warp)
    for (auto [begin, end] : a[warp])
      for (auto [otherBegin, otherEnd] : b[warp])
        if (begin <= otherEnd && otherBegin <= end)
          return true;
  return false;
}

} // namespace

Variables nameVariables(const std::vector<PieceList> &warps, std::vector<Place> &places) {
  Naming naming(warps);
  std::vector<Place> settled;
  for (Place &place : places)
    for (Place &each : naming.settle(std::move(place)))
      settled.push_back(std::move(each));
  places = std::move(settled);
  return naming.number(places);
}

void packVariables(const std::vector<PieceList> &warps, const std::vector<bool> &isLocal,
                   Variables &variables) {
  std::vector<Lives> lives(variables.count, Lives(warps.size()));
  for (size_t warp = 0; warp < warps.size(); ++warp)
    for (size_t web = 0; web < warps[warp].webs.size(); ++web)
      if (const unsigned variable = variables.ofWeb[warp][web]; variable != Piece::none)
        lives[variable][warp].emplace_back(warps[warp].webs[web].begin, warps[warp].webs[web].end);

  // In the order of the text, each into the first that has room.
  std::vector<Lives> packed;
  std::vector<unsigned> numberOf(variables.count), packedNumber;
  unsigned count = 0;
  for (unsigned variable = 0; variable < variables.count; ++variable) {
    if (isLocal[variable]) {
      numberOf[variable] = count++;
      continue;
    }
    size_t into = 0;
    while (into < packed.size() && meet(packed[into], lives[variable]))
      ++into;
    if (into == packed.size()) {
      packed.emplace_back(warps.size());
      packedNumber.push_back(count++);
    }
    numberOf[variable] = packedNumber[into];
    for (size_t warp = 0; warp < warps.size(); ++warp)
      packed[into][warp].insert(packed[into][warp].end(), lives[variable][warp].begin(),
                                lives[variable][warp].end());
  }
  for (std::vector<unsigned> &ofWarp : variables.ofWeb)
    for (unsigned &variable : ofWarp)
      if (variable != Piece::none)
        variable = numberOf[variable];
  variables.count = count;
}

} // namespace heddle::partition
