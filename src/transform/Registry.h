// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "transform/Context.h"
#include "transform/loops/LoopSubject.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace heddle::transform {

/// A setting that a directive takes: `x=N`, `map=interleaved|blocked`, `by=EXPRESSION`.
struct SettingRule {
  std::string key;
  enum class Kind { Word, Number, Text } kind = Kind::Word;
  int64_t least = 0, most = 0;    ///< Number
  std::vector<std::string> words; ///< Word
  std::string byDefault;
  std::string help;

  bool allows(const std::string &value) const;
  /// What is allowed, for messages and help: "interleaved|blocked", "N with N from 1 to 64".
  std::string allowed() const;
};

/// One step of a directive: a change of the text by itself, made on what the step before it left.
struct Pass {
  std::string name; ///< unique among all directives: what --print-after and --time-passes call it
  Transform run = nullptr;
};

/// What the tuner tries of a directive under `-d auto`. `tried` is carried out once; where that works, `values`
/// belong to the space. All parts that work make one alternative, together with `always`:
///
///     {{{"x=2", "x=1|2|4"}, {"y=2", "y=1|2|4"}}, "map=interleaved|blocked"}
///     => coarsen x=1|2|4 y=1|2|4 map=interleaved|blocked
struct TuningSpace {
  struct Part {
    std::string tried, values;
  };
  std::vector<Part> parts;
  std::string always = {};
};

/// A form of a directive that should pay for a kernel, and why; or why none does, with `directive` empty.
struct Suggestion {
  std::string directive, why;
};

/// A directive that the facts about a kernel suggest.
struct Opportunity {
  /// Forms of it, the simplest first; some need a further directive: "coarsen x=2 map=blocked; scalar-replace".
  std::vector<std::string> forms;
  std::string why;
  bool isForLoads = false; ///< what is to be gained is that threads load less
};

/// All that Heddle knows of one directive. The parser, `--help`, `auto`, the tuner's spaces, what `analyze` prints as
/// opportunities, and the tests of the docs go over the table of these; nothing else lists directives.
struct DirectiveRule {
  std::string name;
  Subject subject = Subject::Kernel;
  std::string summary; ///< one line, for help
  std::vector<SettingRule> settings = {};
  std::vector<Pass> passes = {};
  /// Directives on loops and branches: what one could mean where it does not say.
  Candidates candidates = nullptr;
  std::string candidateText = {}; ///< "loop that is directly followed by another loop"
  /// Whether launches need not change along: then it does not matter whether all of them are seen.
  bool (*keepsLaunches)(const Directive &) = nullptr;
  /// Settings that leave the program as it is, so that the tuner need not try them.
  bool (*doesNothing)(const Directive &) = nullptr;
  std::vector<TuningSpace> tuning = {};
  /// `auto` asks this. It may need another form of the kernel first, as a pass does.
  std::variant<Suggestion, Needs> (*suggest)(Context &) = nullptr;
  /// What the facts about a kernel suggest. `heddle analyze` tries each before it offers it.
  std::vector<Opportunity> (*opportunities)(const KernelFacts &) = nullptr;

  const SettingRule *find(std::string_view key) const;
  /// "coarsen [x=N] [map=interleaved|blocked]"
  std::string usage() const;
};

/// The table, in the order that people read it in.
const std::vector<DirectiveRule> &directiveRules();

/// A normalization, and the form that it gives a kernel.
struct NormalizationRule {
  std::string_view name, summary;
};
const std::vector<NormalizationRule> &normalizationRules();

/// The names of all passes and normalizations: what --print-after takes.
std::vector<std::string> passNames();

/// The row of a directive; null where there is none of that name.
const DirectiveRule *directiveRule(std::string_view name);

} // namespace heddle::transform
