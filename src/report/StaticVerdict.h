// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "check/Static.h"

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace heddle::report {

/// The block that a kernel was checked for, where the command line does not give it.
struct CheckedBlock {
  vm::Dim3 block;
  std::optional<uint32_t> dynamicSharedBytes = 0; ///< nothing: unknown
  /// The launches that have this block; none where the kernel itself requires it.
  std::vector<SourceLocation> launches;
};

/// What a verdict is for: "every input", or "every input with n = 100".
std::string inputsText(const check::StaticResult &result);
/// Whether the verdict rests on more than what the caller gave of the input.
bool hasAssumptions(const check::StaticResult &result);

/// What the static check decided of one kernel.
struct KernelVerdict {
  std::string kernel; ///< as a person calls it
  check::StaticResult result;
  std::optional<CheckedBlock> block = std::nullopt;
  std::string file = {}; ///< as the command line has it
};

/// "block (16, 16), from the launch at tile.cu:12"; "block (64), required by the kernel".
std::string blockText(const CheckedBlock &checked);

/// For people: findings and reasons, each opening with its class, then the verdict and a line for each
/// property:
///     holds: kernel 'tile': all 7 properties, for every input (14 barrier rounds)
///       shared-memory races: proved for every input
std::string staticText(const KernelVerdict &verdict, bool colour);

/// "proved for every input, if ..."; "violated"; "undecided: why".
std::string decisionText(const check::PropertyVerdict &verdict);

/// The same facts for programs: findingsJson with "mode", "verdict" and "kernels" beside the findings.
/// docs/check.md describes it.
nlohmann::ordered_json staticJson(const std::vector<KernelVerdict> &verdicts);

/// The findings as SARIF results. The decisions on all properties are in the property bag of the run: services for code scanning
/// reject a log if a result has no location, and show results of kind "pass" and "open" as alerts.
nlohmann::ordered_json staticSarif(const std::vector<KernelVerdict> &verdicts,
                                   const std::filesystem::path &root);

/// Fails where one fails, else undecided where one is, else holds.
check::Verdict together(const std::vector<KernelVerdict> &verdicts);

} // namespace heddle::report
