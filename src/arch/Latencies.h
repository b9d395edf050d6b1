// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace heddle::arch {

/// What instructions of a GPU take, by class (Latencies.def). arch/README.md says what the numbers mean.
struct LatencyTable {
  std::string source; ///< who measured, when, how
  std::map<std::string, double, std::less<>>
      cycles; ///< from an instruction to the next that needs its result
  std::map<std::string, double, std::less<>> perCycle; ///< how many the threads of an SM get done in a cycle
};

/// The names of all classes, in the order of the .def file.
const std::vector<std::string_view> &latencyClasses();
bool isLatencyClass(std::string_view name);

/// How a class came to its cycles.
enum class LatencyFrom { Table, Substitute, Nothing };
struct Latency {
  double cycles = 1;
  LatencyFrom from = LatencyFrom::Nothing;
  std::string_view substitute; ///< the class whose cycles these are, where it is another
};

/// The cycles of a class: its own, those of the nearest class in the chain of substitutes that the table has,
/// or, where the table has none of them (or there is no table), 1: instructions are counted, not weighed.
Latency latencyOf(const std::optional<LatencyTable> &table, std::string_view name);

/// How many of a class the threads of an SM get done in a cycle: what the table says, or nothing. No
/// substitutes: a unit that is missing from a table may be of any width.
std::optional<double> throughputOf(const std::optional<LatencyTable> &table, std::string_view name);

} // namespace heddle::arch
