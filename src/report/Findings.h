// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "check/Finding.h"

#include <nlohmann/json_fwd.hpp>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace heddle::report {

/// For people. Each finding opens with its class:
///     race: tile.cu:14:9: thread 0 writes 'tile[1]', which thread 33 reads [race/shared]
///        14 |         tile[i] = x;
///           |         ^
///     tile.cu:17:13: note: read here by thread 33
///     hint: put __syncthreads() between the two
std::string findingsText(const std::vector<check::Finding> &findings, bool colour);

/// The same facts for programs. The layout is "heddle.check/1": docs/check.md describes it.
nlohmann::ordered_json findingsJson(const std::vector<check::Finding> &findings);

/// The same as a SARIF 2.1.0 log, for review tools. Files below `base` are named relative to it (as
/// %SRCROOT%), so that a log made in one checkout fits another.
nlohmann::ordered_json findingsSarif(const std::vector<check::Finding> &findings,
                                     const std::filesystem::path &base);

/// Adds to a SARIF log whether all that was asked for was checked. Without an exit code: it did not come to one.
void addInvocation(nlohmann::ordered_json &log, bool isSuccessful, std::optional<int> exitCode);

} // namespace heddle::report
