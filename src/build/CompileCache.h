// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "support/KeptFiles.h"
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
  static constexpr uintmax_t usualBytes = KeptFiles::usualBytes;

  /// In $HEDDLE_COMPILE_CACHE, else in heddle/compiled of the user's cache folder. Nothing is kept where that is "off", or where
  /// nothing can be written.
  static CompileCache ofUser(SourcePlace place = SourcePlace::Matters);
  /// Nothing is kept: every step is run.
  CompileCache() = default;
  explicit CompileCache(const std::filesystem::path &folder, uintmax_t mostBytes = usualBytes,
                        SourcePlace place = SourcePlace::Ignored);

  /// Runs the step, or has the output and the messages of an earlier run that succeeded. `seconds`: that it may take; 0: no limit.
  ProcessResult run(const CompileStep &step, double seconds = 0) const;

private:
  CompileCache(std::optional<KeptFiles> files, SourcePlace place) : files(std::move(files)), place(place) {}
  bool isKept(const CompileStep &step) const;
  std::string keyOf(const CompileStep &step) const;
  std::optional<ProcessResult> find(const std::string &key, const CompileStep &step) const;
  void keep(const std::string &key, const CompileStep &step, const ProcessResult &done,
            const std::vector<std::string> &read) const;

  std::optional<KeptFiles> files;
  SourcePlace place = SourcePlace::Ignored;
};

/// The files of a make rule "target: file file \", as compilers write them.
std::vector<std::string> filesOfMakeRule(const std::string &rule);

} // namespace heddle::build
