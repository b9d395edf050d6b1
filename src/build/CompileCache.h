// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "support/Process.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace heddle::build {

/// A run of a compiler or an assembler that makes one file of another.
struct CompileStep {
  std::vector<std::string> command;
  std::filesystem::path source, output; ///< output empty: messages alone are wanted
  std::vector<std::filesystem::path>
      further;             ///< other files of the command that are as temporary as the source
  bool hasIncludes = true; ///< it reads other files, which it lists if it gets -MD -MF; else it reads none
  /// A command that makes the same faster, by a precompiled header, which is itself not made before it is needed. Null: there is none.
  std::function<std::vector<std::string>()> faster = nullptr;
  std::vector<std::filesystem::path> linked = {}; ///< libraries that the command names otherwise than by path
};

/// Whether the place of a source is part of what is compiled: messages, __FILE__ and line tables name it. It is not where the
/// source is a copy that was written for the occasion, and nobody asks where.
enum class SourcePlace { Matters, Ignored };

/// What compilers made, kept from one process to the next.
class CompileCache {
public:
  /// Those that were not used for the longest time are removed where all together are larger.
  static constexpr uintmax_t usualBytes = uintmax_t(1) << 28;

  /// In $HEDDLE_COMPILE_CACHE, else in heddle/compiled of the user's cache folder. Nothing is kept where that is "off", or where
  /// nothing can be written.
  static CompileCache ofUser(SourcePlace place = SourcePlace::Matters);
  /// Without a folder every step is run.
  explicit CompileCache(std::optional<std::filesystem::path> folder = std::nullopt,
                        uintmax_t mostBytes = usualBytes, SourcePlace place = SourcePlace::Ignored)
      : folder(std::move(folder)), mostBytes(mostBytes), place(place) {}

  /// Runs the step, or has the output and the messages of an earlier run that succeeded. `seconds`: that it may take; 0: no limit.
  ProcessResult run(const CompileStep &step, double seconds = 0) const;

private:
  bool isKept(const CompileStep &step) const;
  std::string keyOf(const CompileStep &step) const;
  std::optional<ProcessResult> find(const std::string &key, const CompileStep &step) const;
  void keep(const std::string &key, const CompileStep &step, const ProcessResult &done,
            const std::vector<std::string> &read) const;
  void removeUnused() const;

  std::optional<std::filesystem::path> folder;
  uintmax_t mostBytes;
  SourcePlace place;
};

/// The files of a make rule "target: file file \", as compilers write them.
std::vector<std::string> filesOfMakeRule(const std::string &rule);

} // namespace heddle::build
