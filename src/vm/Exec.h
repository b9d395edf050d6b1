// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the instruction families share: the loops over lanes, and the selection of a handler by types.
#pragma once

#include "semantics/Float.h"
#include "vm/HostVersions.h"
#include "vm/Lowering.h"
#include "vm/Warp.h"

#include <cstdint>
#include <initializer_list>
#include <tuple>
#include <type_traits>

namespace heddle::vm {

namespace sem = heddle::semantics;

/// Whether a function is cheap enough to be computed for inactive lanes too, so that the loop has no branch.
enum Weight : bool { Light, Heavy };

/// F(sources...) of one lane. In code for wide lanes, F may have a member `wide` that uses what such hosts have.
template <bool Wide, auto F, class... S> HEDDLE_INLINE auto callLane(S... sources) {
  if constexpr (Wide && requires { F.wide(sources...); })
    return F.wide(sources...);
  else
    return F(sources...);
}

template <bool Wide, Weight W, auto F, class D, class... S>
HEDDLE_INLINE void runLanes(Warp &warp, const Inst &in, uint32_t mask) {
  D *to = warp.row<D>(in.dst);
  const Loc locs[] = {in.a, in.b, in.c, in.d};
  [&]<size_t... I>(std::index_sequence<I...>) HEDDLE_INLINE_LAMBDA {
    std::tuple<const S *...> from{warp.row<S>(locs[I])...};
    if constexpr (W == Heavy) {
      eachLane(mask, [&](unsigned lane) { to[lane] = F(std::get<I>(from)[lane]...); });
    } else if (mask == AllLanes) {
      HEDDLE_EACH_LANE(lane) to[lane] = callLane<Wide, F>(std::get<I>(from)[lane]...);
    } else {
      HEDDLE_EACH_LANE(lane) {
        D value = callLane<Wide, F>(std::get<I>(from)[lane]...);
        to[lane] = mask >> lane & 1 ? value : to[lane];
      }
    }
  }(std::index_sequence_for<S...>{});
}

template <Weight W, auto F, class D, class... S>
Flow perLanePlain(Warp &warp, const Inst &in, uint32_t mask) {
  runLanes<false, W, F, D, S...>(warp, in, mask);
  return Flow::Next;
}
template <Weight W, auto F, class D, class... S>
HEDDLE_WIDE Flow perLaneWide(Warp &warp, const Inst &in, uint32_t mask) {
  runLanes<true, W, F, D, S...>(warp, in, mask);
  return Flow::Next;
}

template <Weight W, auto F, class D, class... S> constexpr HostVersions<Handler> laneHandlers() {
  // A heavy function is called lane by lane, which wide lanes do not help.
  if constexpr (HEDDLE_HAS_WIDE && W == Light)
    return {perLanePlain<W, F, D, S...>, perLaneWide<W, F, D, S...>};
  else
    return {perLanePlain<W, F, D, S...>, perLanePlain<W, F, D, S...>};
}

/// The handler that computes d = F(sources...) in each lane of the mask. Sources are a, b, c, d of the instruction in
/// this order.
template <Weight W, auto F, class D, class... S>
inline constexpr HostVersions<Handler> perLane = laneHandlers<W, F, D, S...>();

template <auto F, class... S> HEDDLE_INLINE uint32_t testEachLane(Warp &warp, const Inst &in) {
  const Loc locs[] = {in.a, in.b, in.c, in.d};
  return [&]<size_t... I>(std::index_sequence<I...>) HEDDLE_INLINE_LAMBDA {
    std::tuple<const S *...> from{warp.row<S>(locs[I])...};
    uint32_t holds = 0;
    HEDDLE_EACH_LANE(lane) holds |= F(std::get<I>(from)[lane]...) ? 1u << lane : 0u;
    return holds;
  }(std::index_sequence_for<S...>{});
}
template <auto F, class... S> uint32_t testLanesPlain(Warp &warp, const Inst &in) {
  return testEachLane<F, S...>(warp, in);
}
template <auto F, class... S> HEDDLE_WIDE uint32_t testLanesWide(Warp &warp, const Inst &in) {
  return testEachLane<F, S...>(warp, in);
}

using LaneTest = uint32_t (*)(Warp &, const Inst &);
template <auto F, class... S> constexpr HostVersions<LaneTest> laneTests() {
  if constexpr (HEDDLE_HAS_WIDE)
    return {testLanesPlain<F, S...>, testLanesWide<F, S...>};
  else
    return {testLanesPlain<F, S...>, testLanesPlain<F, S...>};
}

/// F(sources...) as a mask.
template <auto F, class... S> inline constexpr HostVersions<LaneTest> testLanes = laneTests<F, S...>();

inline void writePred(uint32_t &pred, uint32_t value, uint32_t mask) {
  pred = (pred & ~mask) | (value & mask);
}

/// Operand 0 is the destination, the next ones are sources of these widths.
inline void emitSources(Lowering &lo, Handler handler, std::initializer_list<unsigned> bits) {
  Loc locs[4] = {NoLoc, NoLoc, NoLoc, NoLoc};
  unsigned i = 0;
  for (unsigned width : bits) {
    locs[i] = lo.source(lo.ops[i + 1], width);
    ++i;
  }
  Loc dst = lo.dest(lo.ops[0]);
  Inst &in = lo.emit(handler);
  in.dst = dst, in.a = locs[0], in.b = locs[1], in.c = locs[2], in.d = locs[3];
}

template <class T> struct Tag {
  using Type = T;
};

/// pick(Tag<T>) for the integer type, nullptr for any other.
template <class F> Handler forInteger(ptx::Type type, F pick) {
  using enum ptx::Type;
  switch (type) {
  case U16:
  case B16: return pick(Tag<uint16_t>{});
  case S16: return pick(Tag<int16_t>{});
  case U32:
  case B32: return pick(Tag<uint32_t>{});
  case S32: return pick(Tag<int32_t>{});
  case U64:
  case B64: return pick(Tag<uint64_t>{});
  case S64: return pick(Tag<int64_t>{});
  default: return nullptr;
  }
}

/// The same for types of 32 and 64 bits only.
template <class F> Handler forWord(ptx::Type type, F pick) {
  using enum ptx::Type;
  switch (type) {
  case U32:
  case B32: return pick(Tag<uint32_t>{});
  case S32: return pick(Tag<int32_t>{});
  case U64:
  case B64: return pick(Tag<uint64_t>{});
  case S64: return pick(Tag<int64_t>{});
  default: return nullptr;
  }
}

template <sem::Rounding R> struct RoundingTag {
  static constexpr sem::Rounding mode = R;
};
template <class F> Handler forRounding(ptx::Rounding rounding, F pick) {
  using enum ptx::Rounding;
  switch (rounding) {
  case None:
  case Rn:
  case Rni: return pick(RoundingTag<sem::Rounding::RN>{});
  case Rz:
  case Rzi: return pick(RoundingTag<sem::Rounding::RZ>{});
  case Rm:
  case Rmi: return pick(RoundingTag<sem::Rounding::RM>{});
  case Rp:
  case Rpi: return pick(RoundingTag<sem::Rounding::RP>{});
  default: return nullptr;
  }
}

template <class F> Handler forBool(bool value, F pick) {
  return value ? pick(std::true_type{}) : pick(std::false_type{});
}

} // namespace heddle::vm
