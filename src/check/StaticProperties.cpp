// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A verdict for each property: violated where a finding belongs to it, else undecided where a reason does,
// else proved. What is given and what is assumed are part of the verdict, so that "for every input" is exact.
#include "check/StaticProperties.h"

#include <fmt/ranges.h>

#include <algorithm>

namespace heddle::check {
namespace {

struct PropertyRow {
  std::string_view id, name;
};
constexpr PropertyRow Rows[Properties] = {
    {"shared-races", "shared-memory races"},
    {"global-races-in-block", "global-memory races within a block"},
    {"global-races-between-blocks", "global-memory races between blocks"},
    {"barrier-use", "barrier use"},
    {"deadlock", "deadlock"},
    {"bounds", "shared-memory bounds"},
    {"initialization", "shared-memory initialization"},
};

/// "the grid is 1 in y and z, which the kernel does not read".
std::string flatGrid(unsigned directions) {
  std::vector<std::string> names;
  for (unsigned k = 0; k < 3; ++k)
    if (directions >> k & 1)
      names.push_back(std::string(1, "xyz"[k]));
  return fmt::format("the grid is 1 in {}, which the kernel does not read", fmt::join(names, " and "));
}

std::vector<std::string> assumedFor(Property property, const Assumptions &assumptions) {
  std::vector<std::string> texts;
  auto add = [&](bool holds, std::string text) {
    if (holds)
      texts.push_back(std::move(text));
  };
  add(assumptions.isOptimized && property != Property::BarrierUse && property != Property::Deadlock,
      "accesses that the compiler removed do not violate it");
  add((assumptions.noTrap && property == Property::SharedBounds) || assumptions.noActsBeforeTrap,
      "no trap or failed assertion stops the kernel");
  switch (property) {
  case Property::GlobalRacesInBlock:
  case Property::GlobalRacesBetweenBlocks:
    add(assumptions.pointersDoNotOverlap, "different pointers point to different memory");
    add(assumptions.noOverflow, "index arithmetic does not overflow");
    add(assumptions.parametersNotNegative, "parameters that are compared as unsigned are not negative");
    add(assumptions.flatDirections && property == Property::GlobalRacesBetweenBlocks,
        flatGrid(assumptions.flatDirections));
    break;
  case Property::BarrierUse:
    add(assumptions.endedThreadsArrive, "threads that have ended count as arrived at __syncthreads()");
    break;
  case Property::Deadlock: add(assumptions.loopsEnd, "loops that wait for no other thread end"); break;
  default: break;
  }
  return texts;
}

PropertyVerdict verdictOn(Property property, const StaticResult &result, const Assumptions &assumptions,
                          bool complete) {
  PropertyVerdict verdict;
  verdict.property = property;
  if (std::ranges::count(result.violates, property)) {
    verdict.decision = Decision::Violated;
    return verdict;
  }
  const auto reason = std::ranges::find_if(
      result.undecided, [&](const UndecidedReason &each) { return each.properties & setOf(property); });
  if (reason != result.undecided.end()) {
    verdict.why = reason->text;
    return verdict;
  }
  if (!complete) {
    verdict.why =
        result.violates.empty() ? "the kernel could not be executed" : "not checked beyond the violation";
    return verdict;
  }
  verdict.decision = Decision::Proved;
  verdict.assuming = result.given;
  for (std::string &each : assumedFor(property, assumptions))
    verdict.assuming.push_back(std::move(each));
  return verdict;
}

void unprove(PropertyVerdict &verdict, const char *why) {
  if (verdict.decision == Decision::Proved)
    verdict = {verdict.property, Decision::Undecided, why, {}};
}

/// What rests on another property that is not proved. Barriers that are not used by their rules may order nothing.
/// Where accesses to shared memory may race, what is read there depends on the schedule, and so does all that
/// was decided with it.
void unproveWhatRestsOnOthers(std::vector<PropertyVerdict> &properties, const Assumptions &assumptions) {
  auto isProved = [&](Property property) {
    return properties[unsigned(property)].decision == Decision::Proved;
  };
  // How far a kernel with a broken barrier comes depends on the schedule.
  if (properties[unsigned(Property::BarrierUse)].decision == Decision::Violated)
    for (PropertyVerdict &each : properties)
      unprove(each, "barrier use is violated");
  if (!isProved(Property::BarrierUse))
    for (Property property :
         {Property::SharedRaces, Property::GlobalRacesInBlock, Property::Deadlock, Property::Initialization})
      unprove(properties[unsigned(property)], "barrier use is not proved");
  if (isProved(Property::SharedRaces))
    return;
  for (PropertyVerdict &each : properties)
    if (assumptions.usesShared || each.property == Property::Initialization)
      unprove(each, "what is read from shared memory depends on the order of accesses that may race");
}

} // namespace

std::string_view nameOf(Property property) { return Rows[unsigned(property)].name; }
std::string_view idOf(Property property) { return Rows[unsigned(property)].id; }

std::string_view nameOf(Decision decision) {
  constexpr std::string_view names[] = {"proved", "violated", "undecided"};
  return names[unsigned(decision)];
}

std::string_view nameOf(Verdict verdict) {
  constexpr std::string_view names[] = {"holds", "fails", "undecided"};
  return names[unsigned(verdict)];
}

Property propertyOf(Rule rule) {
  switch (rule) {
  case Rule::RaceGlobal:
  case Rule::RaceLaunches: return Property::GlobalRacesInBlock;
  case Rule::WarpShuffleSource:
  case Rule::WarpMask: return Property::BarrierUse;
  default: break;
  }
  switch (classOf(rule)) {
  case Class::Deadlock: return Property::Deadlock;
  case Class::Barrier: return Property::BarrierUse;
  case Class::Memory: return Property::SharedBounds;
  case Class::Uninitialized: return Property::Initialization;
  default: return Property::SharedRaces;
  }
}

void conclude(StaticResult &result, const Assumptions &assumptions, bool complete) {
  result.properties.clear();
  for (unsigned i = 0; i < Properties; ++i)
    result.properties.push_back(verdictOn(Property(i), result, assumptions, complete));
  unproveWhatRestsOnOthers(result.properties, assumptions);
  auto any = [&](Decision decision) {
    return std::ranges::any_of(result.properties,
                               [&](const PropertyVerdict &each) { return each.decision == decision; });
  };
  result.verdict = any(Decision::Violated)    ? Verdict::Fails
                   : any(Decision::Undecided) ? Verdict::Undecided
                                              : Verdict::Holds;
}

} // namespace heddle::check
