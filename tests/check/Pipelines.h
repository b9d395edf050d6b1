// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "check/Plan.h"

#include <cstdint>
#include <random>
#include <string_view>

namespace heddle::check::test {

/// Producer and consumer pipelines, all right: rings of one to eight slots between groups of warps, with 2 to
/// 16 named barriers, any number of iterations, and the ways in which people write the first and last of them.
Plan makePipeline(std::mt19937_64 &random);

/// One mistake as people make them.
enum class Mistake : uint8_t {
  MissingArrive,
  MissingWait,
  WrongBarrier,
  WrongCount,
  WrongCountEverywhere,
  WrongSlot,
  NoEmptyWaits,
  SkippedLastSlice,
  SwappedOrder,
  PublishedTooEarly,
  ReleasedTooEarly,
  WaitInsteadOfArrive,
  ArriveInsteadOfWait,
  WrongParity,
  PhaseNotCarried,
};
constexpr unsigned Mistakes = unsigned(Mistake::PhaseNotCarried) + 1;
std::string_view nameOf(Mistake mistake);

/// Plants the mistake somewhere; false where the plan has no place for it. What it does, if it does harm at
/// all, is for the oracle to say.
bool plant(Mistake mistake, Plan &plan, std::mt19937_64 &random);

} // namespace heddle::check::test
