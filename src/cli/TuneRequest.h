// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What `heddle tune` gets on its command line, and what that comes to.
#pragma once

#include "SourceOptions.h"
#include "arch/Arch.h"
#include "tune/AutoSpace.h"
#include "tune/Cache.h"
#include "tune/Maker.h"
#include "tune/Search.h"
#include "tune/SimulatorMeasurer.h"
#include "tune/Space.h"

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <variant>

namespace heddle::cli {

struct Session;

/// The words as they were typed.
struct TuneRequest {
  std::vector<std::string> files;
  std::string output, kernel, block, compiler = "auto", tolerance, cache, simulate;
  std::string strategy = "auto", budget, t1, t4, page;
  std::vector<std::string> assumptions;
  tune::SpaceWords space;
  std::string device = "auto", plan, collect, small;
  unsigned rounds = 21, copies = 0;
  uint64_t seed = 1;
  tune::Limits limits;
  std::string l2 = "warm";
  bool unchecked = false, fills = false, json = false, apply = false, wholeProgram = false;
  size_t top = 5;
  SourceOptions source;

  void addTo(CLI::App &verb, Session &session);
};

/// Everything that one search needs.
struct TuneRun {
  const TuneRequest &request;
  tune::Problem problem;
  tune::SpaceWords words; ///< of the space, with `-d auto` spelled out
  tune::Space space;
  bool isSpelledOut = true; ///< else `words` and `space` are there after spellOut()
  tune::Budget budget;
  arch::Arch arch;
  std::unique_ptr<tune::Cache> cache; ///< null: nothing is kept
  std::chrono::steady_clock::time_point begin = std::chrono::steady_clock::now();

  double seconds() const { ///< since the command began
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  }
  /// What a budget of seconds leaves for the first search, where so much is for what comes after it: a quarter of the budget at least,
  /// whatever was done before it and has to be done after it.
  double secondsForSearch(double reserved) const;
  /// Where that was left until it is known which kernels are tuned. False, and a complaint, where nothing can be changed.
  bool spellOut(Session &session);
  /// False, and a complaint, where the file that results are kept in cannot be had.
  bool openCache(Session &session);
  std::filesystem::path cacheFile() const; ///< empty: nothing is kept
  std::unique_ptr<tune::Maker> maker() const;
  std::vector<std::string> chemWords() const; ///< what `heddle chem` gets for every candidate
  /// The simulator with the model, on the smaller problem where one is named.
  tune::Rehearsal rehearsal() const;
  tune::SearchOptions searchOptions() const;
};

/// The words of a space as one would type them.
std::vector<std::string> typed(const tune::SpaceWords &words);

/// A space, with the words that made it.
struct SpelledSpace {
  tune::SpaceWords words;
  tune::Space space;
};
/// Why there is none, for a person.
struct NoSpace {
  std::string text, hint;
  int exitCode = 0;
  Diagnostics diagnostics = {}; ///< of words that cannot be read; `text` is empty then
};
/// The words with `-d auto` replaced by what the program allows, for the problem's kernel; `known` is that where it was computed before.
std::variant<SpelledSpace, NoSpace> spelledSpace(const tune::Problem &problem, tune::SpaceWords words,
                                                 std::optional<tune::AutoSpace> known = {});

/// Nothing, and a complaint, where the words make no sense.
std::unique_ptr<TuneRun> readTuneRun(TuneRequest &request, Session &session);

} // namespace heddle::cli
