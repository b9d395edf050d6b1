// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loads that compiled code noted (CompiledEvents.cpp), for observers.
//
// Loops load from the same shared memory again and again, by the same instructions: then notes are the same words, and what an observer
// found out about the first ones is true of the others.
#pragma once

#include "vm/Code.h"
#include "vm/Compiled.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace heddle::vm {

inline Space spaceOf(uint32_t accessKind) {
  return accessKind & SharedAccess     ? Space::Shared
         : accessKind & ConstantAccess ? Space::Constant
                                       : Space::Global;
}

/// Compiled code has a group for each of its vectors. Those that continue each other are one group to an observer, whose work is for
/// each of them: half the numbers of groups as long as every second one begins where the one before it ends.
inline uint32_t joinGroups(uint64_t *addresses, uint32_t groups, int32_t stride) {
  for (uint64_t reach = uint64_t(int64_t(stride)) * (Lanes / groups); groups > 1; groups /= 2, reach *= 2) {
    for (uint32_t each = 0; each < groups; each += 2)
      if (addresses[each + 1] - addresses[each] != reach)
        return groups;
    for (uint32_t each = 2; each < groups; each += 2)
      addresses[each / 2] = addresses[each];
  }
  return groups;
}

/// Calls use(site, access) for each of the loads. Addresses of the access are good during the call.
template <class Use> void eachLoad(const NotedLoads &loads, Use use) {
  for (const uint64_t *at = loads.notes.data(), *end = at + loads.notes.size(); at != end;) {
    NotedLoad noted;
    std::memcpy(&noted, at, sizeof noted);
    at += NotedLoadWords;
    std::array<uint64_t, Lanes> addresses;
    std::copy_n(at, noted.groups, addresses.begin());
    at += noted.groups;
    const auto stride = int32_t(noted.stride);
    const Inst &in = loads.code->insts[noted.inst];
    PlainAccess access;
    access.space = spaceOf(noted.kind);
    access.mask = AllLanes;
    access.bytes = uint32_t(in.bytes) * in.elements;
    access.groups = joinGroups(addresses.data(), noted.groups, stride);
    access.stride = stride;
    access.addresses = addresses.data();
    use(SiteRef{&loads.code->sourceOf(in), in.site}, access);
  }
}

/// Notes seen before, each with a fact about them, which is empty at first.
template <class Fact> class SeenNotes {
public:
  struct Found {
    Fact &fact;
    bool isNew; ///< these notes take the place of others
  };
  Found find(const NotedLoads &loads) {
    if (places.empty())
      places.resize(Places);
    Place &place = places[hashOf(loads) % Places];
    if (place.code == loads.code && std::ranges::equal(place.notes, loads.notes))
      return {place.fact, false};
    place.code = loads.code;
    place.notes.assign(loads.notes.begin(), loads.notes.end());
    place.fact = Fact();
    return {place.fact, true};
  }
  void clear() { places.clear(); }

private:
  static constexpr size_t Places = 32;
  struct Place {
    const Code *code = nullptr;
    std::vector<uint64_t> notes;
    Fact fact{};
  };
  /// Of the first load and the number of all.
  static size_t hashOf(const NotedLoads &loads) {
    const uint64_t mixed = (loads.notes[0] * 31 + loads.notes[NotedLoadWords]) * 31 + loads.notes.size();
    return size_t(mixed * 0x9e3779b97f4a7c15u >> 32);
  }
  std::vector<Place> places;
};

} // namespace heddle::vm
