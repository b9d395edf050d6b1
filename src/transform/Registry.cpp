// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The table of directives. To add one: its code in a folder of its own, its row here, its page in docs/directives. Everything
// that lists directives reads this table.
#include "transform/Registry.h"

#include "support/Numbers.h"
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
                          "which threads are merged: those a stride apart, or neighbours")},
       .passes = {{"coarsen", coarsen}},
       .doesNothing = mergesNothing,
       .tuning = {{{{"x=2", "x=1|2|4|8"}, {"y=2", "y=1|2|4"}}, "map=interleaved|blocked"},
                  {{{"grid=2", "grid=2|4|8"}}}},
       .suggest = suggestCoarsening,
       .opportunities = coarsenOpportunities},
      {.name = "consolidate",
       .summary = "one warp does the work of a block",
       .settings = {oneOf("remap", {"auto", "on", "off"}, "shared memory becomes registers and shuffles"),
                    oneOf("delegate", {"auto", "on", "off"}, "persistent warps process blocks as tasks"),
                    oneOf("tasks", {"static", "dynamic"}, "how tasks are distributed to persistent warps"),
                    number("throttle", 0, 64, "0", "maximum warps per multiprocessor; 0: as many as fit")},
       .passes = {{"consolidate-choice", chooseToConsolidate},
                  {"consolidate-block", aggregateBlock},
                  {"consolidate-barriers", waitForWarp},
                  {"consolidate-remap", remapShared},
                  {"consolidate-delegate", delegateBlocks}},
       .tuning = {{{{"delegate=off remap=off", "delegate=off remap=auto|off"}}},
                  {{{"delegate=on remap=off", "delegate=on remap=auto|off tasks=static|dynamic"}}}},
       .suggest = suggestConsolidation},
      {.name = "specialize",
       .summary = "producer warps load tiles, consumers compute; or each warp executes one case of a branch",
       .settings = {oneOf("by", {"tiles", "branch"},
                          "producer and consumer warps, or warps by the case of a branch"),
                    oneOf("copy", {"auto", "ld", "cpasync", "bulk"}, "how producers copy a tile"),
                    oneOf("barrier", {"auto", "named", "mbarrier"}, "how producers and consumers wait"),
                    number("buffers", 1, 32, "0", "tiles in flight (2: double buffering)"),
                    number("producers", 1, 16, "0", "producer warps"),
                    number("consumers", 1, 8, "1", "groups of consumer warps"),
                    oneOf("registers", {"auto", "keep", "move"},
                          "whether producers give registers to consumers")},
       .passes = {{"specialize", specialize}},
       .keepsLaunches = isByBranch,
       .tuning = {{{{"buffers=2", "buffers=2|3|4 copy=auto|ld"}}}, {{{"by=branch", "by=branch"}}}}},
      {.name = "regroup",
       .summary = "threads with similar work are grouped into the same warp",
       .settings = {text("by", "profile", "how work is compared: by an expression, branch or profile"),
                    oneOf("via", {"redirect", "layout"},
                          "threads exchange their work, or the data is reordered")},
       .passes = {{"regroup", regroupThreads}},
       .tuning = {{{{"", "via=redirect|layout"}}}},
       .opportunities = regroupOpportunities},
      {.name = "auto",
       .summary = "applies coarsen or consolidate where the cost model predicts a speed-up",
       .passes = {{"auto", chooseAutomatically}}},
      {.name = "scalar-replace",
       .summary = "repeated loads of an element of shared memory become one",
       .passes = {{"scalar-replace", scalarReplace}},
       .keepsLaunches = always,
       .tuning = {{{{"", ""}}}}},
      {.name = "launch-bounds",
       .summary = "adds __launch_bounds__: maximum threads per block, minimum blocks per multiprocessor",
       .settings =
           {number("threads", 1, 1024, "0",
                   "maximum threads per block; by default the largest block launched"),
            number("blocks", 1, 32, "0",
                   "minimum resident blocks per multiprocessor; by default what the kernel has, or none")},
       .passes = {{"launch-bounds", annotateLaunchBounds}},
       .tuning = {{{{"blocks=2", "blocks=2|4"}}}}},
      {.name = "unroll-jam",
       .subject = Subject::Loop,
       .summary = "several iterations of an outer loop are unrolled, and their inner loops fused",
       .settings = {number("factor", 2, 64, "2", "iterations to unroll")},
       .passes = {{"unroll-jam", unrollAndJam}},
       .candidates = loopsToUnroll,
       .candidateText = "loop with another loop in its body"},
      {.name = "interchange",
       .subject = Subject::Loop,
       .summary = "a loop and the loop inside it are interchanged",
       .passes = {{"interchange", interchangeLoops}},
       .candidates = loopsToInterchange,
       .candidateText = "loop whose body is another loop"},
      {.name = "fuse",
       .subject = Subject::Loop,
       .summary = "a loop and the loop after it are fused",
       .passes = {{"fuse", fuseLoops}},
       .candidates = loopsToFuse,
       .candidateText = "loop that is directly followed by another loop"},
      {.name = "distribute",
       .subject = Subject::Loop,
       .summary = "a loop is split into one loop per group of dependent statements",
       .passes = {{"distribute", distributeLoop}},
       .candidates = loopsToDistribute,
       .candidateText = "loop with several statements"},
      {.name = "branchless",
       .subject = Subject::Branch,
       .summary = "if-conversion: a short branch becomes a select",
       .passes = {{"branchless", makeBranchless}},
       .candidates = branchesToSelect,
       .candidateText = "branch that only assigns values",
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
  const std::optional<int64_t> given = readNumber<int64_t>(value);
  return given && *given >= least && *given <= most;
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
      {"active-text", "removes the parts of the kernel that the preprocessor skips"},
      {"block-loops", "makes all threads of a block execute the same iterations of a strided loop"},
      {"block-votes", "computes votes of __syncthreads_or and its variants before the barrier"},
      {"head-work", "moves per-thread work out of heads of loops and branches with barriers"},
      {"in-place", "replaces an #include by its text, so that the kernel is in the file itself"},
      {"inline-calls", "inlines calls of functions that contain a barrier"},
      {"loop-counters", "declares counters for loops with barriers whose counters have other uses"},
      {"named-types", "names the unnamed types of variables"},
      {"plain-indices", "replaces member functions of thread_block by threadIdx, blockIdx and so on"},
      {"separate-names", "renames variables that hide others"},
      {"split-declarations", "splits declarations with several declarators"},
      {"stated-block", "compares --block with blocks of launches that are known only at run time"},
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
