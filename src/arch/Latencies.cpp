// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "arch/Latencies.h"

#include <set>

namespace heddle::arch {
namespace {

struct Row {
  std::string_view name, substitute;
};
constexpr Row latencyRows[] = {
#define ARCH_LATENCY(NAME, STANDIN) {NAME, STANDIN},
#include "arch/Latencies.def"
};

const std::map<std::string_view, std::string_view> &substitutes() {
  static const std::map<std::string_view, std::string_view> map = [] {
    std::map<std::string_view, std::string_view> made;
    for (const Row &row : latencyRows)
      made.emplace(row.name, row.substitute);
    return made;
  }();
  return map;
}

} // namespace

const std::vector<std::string_view> &latencyClasses() {
  static const std::vector<std::string_view> names = [] {
    std::vector<std::string_view> made;
    for (const Row &row : latencyRows)
      made.push_back(row.name);
    return made;
  }();
  return names;
}

bool isLatencyClass(std::string_view name) { return substitutes().count(name) != 0; }

Latency latencyOf(const std::optional<LatencyTable> &table, std::string_view name) {
  if (!table)
    return {};
  std::set<std::string_view> tried; // substitutes may go in a circle: whichever of them is known serves
  for (std::string_view at = name; tried.insert(at).second;) {
    if (auto found = table->cycles.find(at); found != table->cycles.end())
      return {found->second, at == name ? LatencyFrom::Table : LatencyFrom::Substitute, at};
    auto next = substitutes().find(at);
    if (next == substitutes().end())
      break;
    at = next->second;
  }
  return {};
}

std::optional<double> throughputOf(const std::optional<LatencyTable> &table, std::string_view name) {
  if (table)
    if (auto found = table->perCycle.find(name); found != table->perCycle.end() && found->second > 0)
      return found->second;
  return std::nullopt;
}

} // namespace heddle::arch
