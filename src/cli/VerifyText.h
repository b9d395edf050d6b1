// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What `heddle verify` found, and how it is printed.
#pragma once

#include "build/Program.h"
#include "counts/LaunchFacts.h"
#include "verify/Compare.h"
#include "verify/CompareOutput.h"
#include "verify/CopyResults.h"

#include <nlohmann/json_fwd.hpp>

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace heddle::cli {

/// Everything the answer for one input is made of.
struct Verdict {
  std::vector<std::string> arguments; ///< of this run
  uint64_t copies = 0;
  bool copiesOnly = false; ///< a recording has no stdout and no exit code, or it was not requested
  std::optional<verify::CopyDifference> copy;
  std::vector<verify::CopyResult> each; ///< copy by copy, where a page is wanted
  /// Of each program on the simulator, where a page is wanted; empty for a recording and on a GPU.
  std::array<std::vector<counts::LaunchFacts>, 2> launches;
  std::optional<verify::LineDifference> line;
  std::vector<verify::IgnoredNumber> ignored; ///< numbers of stdout that differ and do not count
  std::array<int, 2> exitCodes = {0, 0};
  bool failed = false; ///< the simulator had to stop one of them
  build::Summary::LastWrite writeA, writeB;
  bool watchedA = false, watchedB = false; ///< whether the last write was looked for

  /// A program that differs from itself: the original, or only the other one.
  struct Self {
    size_t program = 0; ///< 0: the original, and then nothing is verified
    std::optional<verify::CopyDifference> copy;
    std::optional<verify::LineDifference> line;
    std::array<int, 2> exitCodes = {0, 0};

    bool differs() const { return copy || line || exitCodes[0] != exitCodes[1]; }
  };
  std::optional<Self> self;
  bool addressesVary = false; ///< device addresses could not be made the same in every run

  bool same() const { return !copy && !line && exitCodes[0] == exitCodes[1]; }
  /// Both ended with the same error before there was a result to compare.
  bool failsAlike() const { return same() && copies == 0 && exitCodes[0] != 0; }
  bool isVerified() const { return same() && !failed && !failsAlike(); }
  bool originalIsDeterministic() const { return !self || self->program != 0; }
};

/// The inputs that were tried besides the given one.
struct OtherInputs {
  size_t wanted = 0;
  std::vector<std::vector<std::string>> agreed;
  struct Skipped {
    std::vector<std::string> arguments;
    std::string why;
  };
  std::vector<Skipped> skipped;     ///< the original itself fails on them
  std::optional<Verdict> different; ///< the first that does not agree; nothing is tried after it
};

/// "parameter 'y'", or "parameter 1" where the name is not known.
std::string parameterText(const verify::CopyDifference &difference);
/// "float"; "int32, guessed" where no kernel's signature has the type.
std::string elementTypeText(const verify::CopyDifference &difference);

/// `names` are what messages call the two programs.
std::string verdictText(const Verdict &verdict, const std::array<std::string, 2> &names);
std::string inputsText(const OtherInputs &inputs, const std::array<std::string, 2> &names);
nlohmann::ordered_json verdictJson(const Verdict &verdict);
nlohmann::ordered_json inputsJson(const OtherInputs &inputs);

} // namespace heddle::cli
