// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The table of directives. To add one: its code in a folder of its own, its row here, its page in docs/directives. Everything
// that lists directives reads this table.
#include "transform/Registry.h"

#include "support/Text.h"
#include "transform/Auto.h"
#include "transform/coarsen/Coarsen.h"
#include "transform/coarsen/CoarsenChoice.h"
#include "transform/coarsen/CoarsenOpportunities.h"
#include "transform/consolidate/Aggregate.h"
#include "transform/consolidate/ConsolidateChoice.h"
#include "transform/consolidate/Delegate.h"
#include "transform/consolidate/Remap.h"
#include "transform/consolidate/WarpBarriers.h"
#include "transform/launch/LaunchBounds.h"
#include "transform/loops/Branchless.h"
#include "transform/loops/Distribute.h"
#include "transform/loops/Fuse.h"
#include "transform/loops/Interchange.h"
#include "transform/loops/ScalarReplace.h"
#include "transform/loops/UnrollJam.h"
#include "transform/regroup/Regroup.h"
#include "transform/regroup/RegroupOpportunities.h"
#include "transform/specialize/SpecializeBranch.h"
#include "transform/specialize/SpecializeTiles.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <charconv>

namespace heddle::transform {
namespace {

constexpr int64_t mostLines = 10'000'000;

SettingRule number(std::string key, int64_t least, int64_t most, std::string byDefault, std::string help) {
  return {std::move(key), SettingRule::Kind::Number, least, most, {}, std::move(byDefault), std::move(help)};
}

/// The first word is what holds where none is given.
SettingRule oneOf(std::string key, std::vector<std::string> words, std::string help) {
  const std::string first = words.front();
  return {std::move(key), SettingRule::Kind::Word, 0, 0, std::move(words), first, std::move(help)};
}

SettingRule text(std::string key, std::string byDefault, std::string help) {
  return {std::move(key), SettingRule::Kind::Text, 0, 0, {}, std::move(byDefault), std::move(help)};
}

bool always(const Directive &) { return true; }

bool isByBranch(const Directive &directive) { return directive.word("by") == "branch"; }

PassResult specialize(Context &context) {
  return isByBranch(context.directive) ? specializeByBranch(context) : specializeTiles(context);
}

/// However its items are distributed.
bool mergesNothing(const Directive &directive) {
  for (const char *key : {"x", "y", "z", "grid"})
    if (directive.number(key) != 1)
      return false;
  return true;
}

std::vector<DirectiveRule> makeRules() {
  std::vector<DirectiveRule> rules = {
      {.name = "coarsen",
       .summary = "each thread does the work of several threads of its block, or each block that of several",
       .settings = {number("x", 1, 1024, "1", "threads merged along x"),
                    number("y", 1, 1024, "1", "threads merged along y"),
                    number("z", 1, 64, "1", "threads merged along z"),
                    number("grid", 1, 65535, "1", "blocks merged along x"),
                    oneOf("map", {"interleaved", "blocked"},
                          "which threads are merged: a stride apart, or neighbours")},
       .passes = {{"coarsen", coarsen}},
       .doesNothing = mergesNothing,
       .tuning = {{{{"x=2", "x=1|2|4|8"}, {"y=2", "y=1|2|4"}}, "map=interleaved|blocked"},
                  {{{"grid=2", "grid=2|4|8"}}}},
       .suggest = suggestCoarsening,
       .opportunities = coarsenOpportunities},
      {.name = "consolidate",
       .summary = "one warp does the work of a block",
       .settings = {oneOf("remap", {"auto", "on", "off"}, "shared memory becomes registers and shuffles"),
                    oneOf("delegate", {"auto", "on", "off"}, "persistent warps take blocks as tasks"),
                    oneOf("tasks", {"static", "dynamic"}, "how persistent warps get their tasks"),
                    number("throttle", 0, 64, "0", "warps per multiprocessor at most; 0: as many as fit")},
       .passes = {{"consolidate-choice", chooseToConsolidate},
                  {"consolidate-block", aggregateBlock},
                  {"consolidate-barriers", waitForWarp},
                  {"consolidate-remap", remapShared},
                  {"consolidate-delegate", delegateBlocks}},
       .tuning = {{{{"delegate=off remap=off", "delegate=off remap=auto|off"}}},
                  {{{"delegate=on remap=off", "delegate=on remap=auto|off tasks=static|dynamic"}}}},
       .suggest = suggestConsolidation},
      {.name = "specialize",
       .summary = "some warps of a block load tiles, the others compute; or each warp does one kind of work",
       .settings = {oneOf("by", {"tiles", "branch"},
                          "producer and consumer warps, or warps by the case they take"),
                    oneOf("copy", {"auto", "ld", "cpasync", "bulk"}, "how producers copy a tile"),
                    oneOf("barrier", {"auto", "named", "mbarrier"}, "what producers and consumers wait at"),
                    number("buffers", 1, 32, "0", "tiles under way"),
                    number("producers", 1, 16, "0", "warps that load"),
                    number("consumers", 1, 8, "1", "groups of warps that compute"),
                    oneOf("registers", {"auto", "keep", "move"},
                          "whether producers give registers to consumers")},
       .passes = {{"specialize", specialize}},
       .keepsLaunches = isByBranch,
       .tuning = {{{{"buffers=2", "buffers=2|3|4 copy=auto|ld"}}}, {{{"by=branch", "by=branch"}}}}},
      {.name = "regroup",
       .summary = "threads with similar work come into one warp",
       .settings = {text("by", "profile", "what similar work is: an expression, branch or profile"),
                    oneOf("via", {"redirect", "layout"},
                          "threads take each other's work, or data are moved")},
       .passes = {{"regroup", regroupThreads}},
       .tuning = {{{{"", "via=redirect|layout"}}}},
       .opportunities = regroupOpportunities},
      {.name = "auto",
       .summary = "what should pay for the kernel by the cost model, if anything",
       .passes = {{"auto", chooseAutomatically}}},
      {.name = "scalar-replace",
       .summary = "repeated loads of an element of shared memory become one",
       .passes = {{"scalar-replace", scalarReplace}},
       .keepsLaunches = always,
       .tuning = {{{{"", ""}}}}},
      {.name = "launch-bounds",
       .summary = "tells the compiler how large blocks are, and how many a multiprocessor should hold",
       .settings = {number("threads", 1, 1024, "0",
                           "threads per block at most; by default the largest block launched"),
                    number("blocks", 1, 32, "0", "blocks that a multiprocessor should hold")},
       .passes = {{"launch-bounds", annotateLaunchBounds}},
       .tuning = {{{{"blocks=2", "blocks=2|4"}}}}},
      {.name = "unroll-jam",
       .subject = Subject::Loop,
       .summary = "several iterations of an outer loop go through its inner loop together",
       .settings = {number("factor", 2, 64, "2", "iterations")},
       .passes = {{"unroll-jam", unrollAndJam}},
       .candidates = loopsToUnroll},
      {.name = "interchange",
       .subject = Subject::Loop,
       .summary = "a loop and the loop inside it change places",
       .passes = {{"interchange", interchangeLoops}},
       .candidates = loopsToInterchange},
      {.name = "fuse",
       .subject = Subject::Loop,
       .summary = "a loop and the loop behind it become one",
       .passes = {{"fuse", fuseLoops}},
       .candidates = loopsToFuse},
      {.name = "distribute",
       .subject = Subject::Loop,
       .summary = "a loop becomes several",
       .passes = {{"distribute", distributeLoop}},
       .candidates = loopsToDistribute},
      {.name = "branchless",
       .subject = Subject::Branch,
       .summary = "a short branch becomes a choice between values",
       .passes = {{"branchless", makeBranchless}},
       .candidates = branchesToSelect,
       .tuning = {{{{"", ""}}}}},
  };
  for (DirectiveRule &rule : rules)
    if (rule.subject != Subject::Kernel) {
      const char *what = rule.subject == Subject::Loop ? "loop" : "branch";
      rule.settings.push_back(
          number("line", 0, mostLines, "0", fmt::format("the line that the {} begins on", what)));
      rule.keepsLaunches = always;
    }
  return rules;
}

} // namespace

bool SettingRule::allows(const std::string &value) const {
  if (kind == Kind::Text)
    return true;
  if (kind == Kind::Word)
    return std::ranges::find(words, value) != words.end();
  int64_t given = 0;
  auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), given);
  return error == std::errc() && end == value.data() + value.size() && given >= least && given <= most;
}

std::string SettingRule::allowed() const {
  switch (kind) {
  case Kind::Text: return "EXPRESSION, without spaces outside of brackets";
  case Kind::Number: return fmt::format("N with N from {} to {}", least, most);
  case Kind::Word: return fmt::format("{}", fmt::join(words, "|"));
  }
  return {};
}

const SettingRule *DirectiveRule::find(std::string_view key) const {
  for (const SettingRule &setting : settings)
    if (setting.key == key)
      return &setting;
  return nullptr;
}

std::string DirectiveRule::usage() const {
  std::string text = name;
  for (const SettingRule &setting : settings)
    text += fmt::format(" [{}={}]", setting.key,
                        setting.kind == SettingRule::Kind::Word   ? setting.allowed()
                        : setting.kind == SettingRule::Kind::Text ? "EXPRESSION"
                                                                  : "N");
  return text;
}

const std::vector<DirectiveRule> &directiveRules() {
  static const std::vector<DirectiveRule> table = makeRules();
  return table;
}

const std::vector<NormalizationRule> &normalizationRules() {
  static const std::vector<NormalizationRule> table = {
      {"active-text", "no part of the kernel that the preprocessor leaves out"},
      {"block-loops", "loops over a thread's share of global memory are loops of the block"},
      {"block-votes", "votes of the block are variables, set before the barrier"},
      {"head-work", "no work that differs by thread in the head of a loop or branch around a barrier"},
      {"in-place", "the kernel stands in the file itself, not in one that it includes"},
      {"inline-calls", "no call of a function with a barrier"},
      {"loop-counters", "loops around barriers have counters of their own"},
      {"named-types", "types of variables have names"},
      {"plain-indices", "threadIdx and its relatives in the place of a group's member functions"},
      {"separate-names", "no variable hides another"},
      {"split-declarations", "a declaration for each variable"},
  };
  return table;
}

std::vector<std::string> passNames() {
  std::vector<std::string> names;
  for (const DirectiveRule &rule : directiveRules())
    for (const Pass &pass : rule.passes)
      names.push_back(pass.name);
  for (const NormalizationRule &rule : normalizationRules())
    names.emplace_back(rule.name);
  return names;
}

const DirectiveRule *directiveRule(std::string_view name) {
  for (const DirectiveRule &rule : directiveRules())
    if (rule.name == name)
      return &rule;
  return nullptr;
}

} // namespace heddle::transform
