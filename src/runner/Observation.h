// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "runner/Result.h"
#include "verify/Compare.h"

#include <cstdint>
#include <filesystem>

namespace heddle::runner {

/// Something that the program copied from the device to the host.
struct Copy {
  uint64_t bytes = 0;
  std::string bits; ///< a hash of them; empty: they vary from run to run and say nothing
  bool operator==(const Copy &) const = default;
};

/// What the timing library saw of a program that ran to its end.
struct Observation {
  std::string device;
  std::string error; ///< the first CUDA error, with the call that gave it
  std::vector<Copy> copies;
  std::vector<KernelTime> kernels; ///< in the order of their first launches
  bool replayed = false;           ///< false: it died while launches were made again
  std::string output;              ///< what it printed; the caller has it
};

/// Nothing where the file is not a whole report.
std::optional<Observation> readObservation(const std::filesystem::path &file);

/// The value below which that share of the samples lies; between two, in proportion. Samples must not be
/// empty.
double quantile(std::vector<double> samples, double share);

/// What the baseline copies to the host and ends with: what every candidate is compared with.
struct Reference {
  std::string id;     ///< of the baseline
  std::string device; ///< that it ran on
  int exitCode = 0;
  std::vector<Copy> copies;
  /// What it prints, where that is all there is to compare: it copies nothing to the host by copies. Nothing where
  /// that varies from run to run.
  std::optional<std::string> output;

  /// There is nothing but the exit code.
  bool saysNothing() const { return copies.empty() && output.value_or("").empty(); }
};
/// Of two runs of the same program: what differs between them is no reference.
Reference referenceOf(const std::string &id, int exitCode, const Observation &first,
                      const Observation &second);
/// Why it is something else; empty where it is not.
std::string differenceFrom(const Reference &reference, const std::vector<Copy> &copies);
/// The same for what it prints, where that counts.
std::string differenceOfOutput(const Reference &reference, const Observation &seen,
                               const verify::Tolerance &tolerance);
/// How many of the copies say nothing.
size_t varyingCopies(const Reference &reference);

std::string toJson(const Reference &reference);
std::optional<Reference> referenceFromJson(const std::string &text);

} // namespace heddle::runner
