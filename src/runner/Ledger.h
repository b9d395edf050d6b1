// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "runner/Result.h"

#include <filesystem>
#include <memory>

namespace heddle::runner {

/// Results in a file, one per line, each on the disk before the next candidate is begun: whatever is killed
/// when, what was found out stays found out. A line that a kill cut short is dropped when the file is opened.
class Ledger {
public:
  /// Nothing, and `error`, where the file cannot be had: two runners must not fill one.
  static std::unique_ptr<Ledger> open(const std::filesystem::path &file, std::string &error);
  ~Ledger();
  Ledger(const Ledger &) = delete;
  Ledger &operator=(const Ledger &) = delete;

  /// In the order of their lines. A candidate may have several: it was lost and tried again. The last counts.
  const std::vector<Result> &results() const { return known; }
  const Result *newest(const std::string &id) const;
  unsigned timesLost(const std::string &id) const;

  /// False where the disk would not take it.
  bool append(const Result &result);

private:
  explicit Ledger(int descriptor) : descriptor(descriptor) {}
  bool readAll();

  int descriptor;
  std::vector<Result> known;
};

/// What a ledger holds, for readers: others may be at work on it.
std::vector<Result> readResults(const std::filesystem::path &file);

} // namespace heddle::runner
