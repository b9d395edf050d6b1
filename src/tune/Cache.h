// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tune/Evaluation.h"
#include "tune/Problem.h"

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace heddle::tune {

/// A result as a file holds it. Of the configuration only the words are known.
struct Kept {
  std::string configuration, digest, sameAs;
  runner::Result result;
};

/// Everything found out about a problem, one line of JSON for each result, each on the disk before the next
/// candidate is begun: whatever is killed when, what was found out stays found out.
///
/// The first line says which problem it is. A last line that a kill cut short is dropped when the file is
/// opened again.
class Cache {
public:
  /// Opens the file, or begins it. Nothing, and `error` for a person, where it cannot be had: it is another
  /// problem's, or another search is filling it.
  static std::unique_ptr<Cache> open(const std::filesystem::path &file, const Problem &problem,
                                     std::string &error);
  ~Cache();
  Cache(const Cache &) = delete;
  Cache &operator=(const Cache &) = delete;

  /// The newest that counts for someone who predicts (or does not) on this device (empty: on any). What could
  /// not be made is so for everybody. Candidates that were lost may be tried again.
  const Kept *find(const std::string &id, bool predicts, const std::string &device) const;
  const std::vector<Kept> &all() const { return known; }
  /// False where the disk would not take it.
  bool append(const Evaluation &evaluation);
  bool append(const Kept &kept);

private:
  Cache() = default;
  int descriptor = -1;
  std::vector<Kept> known;
};

/// What such a file holds, for readers. Nothing where it is none.
std::optional<std::vector<Kept>> readKept(const std::filesystem::path &file);

} // namespace heddle::tune
