// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "check/StaticConditions.h"
#include "check/StaticOrigins.h"
#include "vm/Frame.h"

#include <array>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

namespace heddle::check {

/// Lanes whose value is not known, and what it depends on.
struct Taint {
  uint32_t lanes = 0;
  Origins origins = 0;

  void add(const Taint &other) { lanes |= other.lanes, origins |= other.origins; }
};

/// Beside the registers of one activation: a mask for each PTX register.
class FrameShadow {
public:
  explicit FrameShadow(size_t registers) : unknown(registers, ~0u), origins(registers, origin::Undefined) {}

  uint32_t lanesOf(uint32_t reg) const { return unknown[reg]; }
  Taint of(uint32_t reg, uint32_t mask) const {
    const uint32_t lanes = unknown[reg] & mask;
    return {lanes, lanes ? origins[reg] : 0};
  }
  /// Lanes of the mask take the taint; the others keep theirs.
  void set(uint32_t reg, uint32_t mask, const Taint &taint) {
    const uint32_t kept = unknown[reg] & ~mask, lanes = kept | (taint.lanes & mask);
    origins[reg] = (kept ? origins[reg] : 0) | (taint.lanes & mask ? taint.origins : 0);
    unknown[reg] = lanes;
    if (!forms.empty() && forms[reg])
      for (uint32_t left = taint.lanes & mask; left; left &= left - 1)
        (*forms[reg])[unsigned(__builtin_ctz(left))] = {Forms::Opaque, 0};
    if (!conditions.empty() && conditions[reg])
      conditions[reg]->dropLanes(mask);
    if (const auto extremum = extrema.find(reg); extremum != extrema.end())
      if (!(extremum->second.lanes &= ~mask))
        extrema.erase(extremum);
    if (!alike.empty())
      alike[reg] = false;
  }

  /// What unknown lanes are sums of; null: unknown.
  const LaneForms *formsOf(uint32_t reg) const { return forms.empty() ? nullptr : forms[reg].get(); }
  void setForms(uint32_t reg, uint32_t mask, const LaneForms &values) {
    if (forms.empty())
      forms.resize(unknown.size());
    if (!forms[reg]) {
      forms[reg] = std::make_unique<LaneForms>();
      forms[reg]->fill({Forms::Opaque, 0});
    }
    for (; mask; mask &= mask - 1)
      (*forms[reg])[unsigned(__builtin_ctz(mask))] = values[unsigned(__builtin_ctz(mask))];
  }

  /// What follows from a predicate whose value is unknown; null: nothing.
  const Condition *conditionOf(uint32_t reg) const {
    return conditions.empty() || reg == ptx::kNone ? nullptr : conditions[reg].get();
  }
  /// Replaces what was there, for all lanes.
  void setCondition(uint32_t reg, const Condition &condition) {
    if (conditions.empty())
      conditions.resize(unknown.size());
    conditions[reg] = condition.isEmpty() ? nullptr : std::make_unique<Condition>(condition);
  }

  /// Of what unknown lanes are the largest or smallest; null: of nothing, in some of these lanes.
  const Extremum *extremumOf(uint32_t reg, uint32_t mask) const {
    const auto found = extrema.find(reg);
    return found == extrema.end() || mask & ~found->second.lanes ? nullptr : &found->second;
  }
  /// Replaces what was there, for all lanes.
  void setExtremum(uint32_t reg, Extremum extremum) { extrema[reg] = std::move(extremum); }
  void forgetExtrema() { extrema.clear(); }

  /// Whether all lanes of the warp hold one value, though it is not known which: a vote's result.
  bool isAlike(uint32_t reg) const { return !alike.empty() && reg != ptx::kNone && alike[reg]; }
  bool anyAlike() const { return !alike.empty(); }
  void setAlike(uint32_t reg) {
    alike.resize(unknown.size());
    alike[reg] = true;
  }

private:
  std::vector<uint32_t> unknown;
  std::vector<Origins> origins;
  std::vector<std::unique_ptr<LaneForms>> forms;      ///< where there are any
  std::vector<std::unique_ptr<Condition>> conditions; ///< of predicates, likewise
  std::unordered_map<uint32_t, Extremum> extrema;
  std::vector<bool> alike;
};

/// Bytes of memory that are not known. What they depend on is kept for all of them together: it only serves
/// messages.
class ByteShadow {
public:
  explicit ByteShadow(size_t bytes = 0, bool isUnknown = true) : unknown(bytes, isUnknown) {}

  bool any(uint64_t at, uint64_t bytes) {
    if (!grow(at, bytes))
      return true;
    for (uint64_t i = at; i < at + bytes; ++i)
      if (unknown[i])
        return true;
    return false;
  }
  void set(uint64_t at, uint64_t bytes, bool isUnknown) {
    if (grow(at, bytes))
      std::fill_n(unknown.begin() + long(at), bytes, uint8_t(isUnknown));
  }
  void forget() { std::fill(unknown.begin(), unknown.end(), uint8_t(1)); }
  Origins origins = origin::Memory;

private:
  /// What the simulator would not let anybody touch has no shadow.
  static constexpr uint64_t MostBytes = 1 << 20;
  bool grow(uint64_t at, uint64_t bytes) {
    if (at > MostBytes || bytes > MostBytes)
      return false;
    if (at + bytes > unknown.size())
      unknown.resize(at + bytes, 1);
    return true;
  }
  std::vector<uint8_t> unknown;
};

/// What a warp knew when it last came to a branch that a loop goes round by.
struct Arrival {
  uint32_t count = 0;
  std::vector<uint32_t> unknown;                ///< for each register
  std::vector<uint8_t> values;                  ///< its frame
  std::unordered_map<uint32_t, LaneForms> sums; ///< what unknown registers were sums of
};

/// Beside one warp.
struct WarpShadow {
  std::unordered_map<uint32_t, Arrival> arrivals; ///< by site
  std::unordered_map<const vm::Frame *, std::unique_ptr<FrameShadow>> frames;
  const vm::Frame *lastFrame = nullptr;
  FrameShadow *last = nullptr;
  std::array<ByteShadow, vm::Lanes> local;
  Taint carry;
  std::vector<std::pair<uint32_t, LaneForms>>
      remains; ///< for lanes: sums that are at least 0, else they had left

  FrameShadow &of(const vm::Frame *frame) {
    if (frame != lastFrame)
      lastFrame = frame, last = frames.at(frame).get();
    return *last;
  }
  FrameShadow &begin(const vm::Frame *frame) {
    auto &slot = frames[frame];
    slot = std::make_unique<FrameShadow>(frame->code->function->registers.size());
    lastFrame = frame, last = slot.get();
    return *slot;
  }
};

} // namespace heddle::check
