// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cudart/Settings.h"

#include <cstdio>
#include <cstdlib>

namespace heddle::cudart {
namespace {

std::string text(const char *name) {
  const char *value = std::getenv(name);
  return value ? value : "";
}

} // namespace

Settings Settings::fromEnvironment() {
  Settings settings;
  if (std::string arch = text("HEDDLE_ARCH"); !arch.empty())
    settings.arch = arch;
  settings.cores = unsigned(std::strtoul(text("HEDDLE_CORES").c_str(), nullptr, 10));
  settings.timeoutSeconds = std::strtod(text("HEDDLE_TIMEOUT").c_str(), nullptr);
  settings.copyLog = text("HEDDLE_LOG");
  settings.summaryFile = text("HEDDLE_SUMMARY");
  settings.checkFile = text("HEDDLE_CHECK");
  settings.checkAssume = text("HEDDLE_CHECK_ASSUME");
  settings.profileFile = text("HEDDLE_PROFILE");
  settings.countersFile = text("HEDDLE_COUNTERS");
  settings.countedBlocks = std::strtoull(text("HEDDLE_COUNTERS_BLOCKS").c_str(), nullptr, 10);
  settings.accessesFile = text("HEDDLE_ACCESSES");
  settings.isDry = text("HEDDLE_DRY") == "1";
  settings.scheduleSeed = std::strtoull(text("HEDDLE_SCHEDULE").c_str(), nullptr, 10);
  unsigned long long allocation, offset, bytes, launches;
  if (std::sscanf(text("HEDDLE_WATCH").c_str(), "%llu:%llu:%llu:%llu", &allocation, &offset, &bytes,
                  &launches) == 4) {
    settings.watchAllocation = allocation;
    settings.watchOffset = offset;
    settings.watchBytes = bytes;
    settings.watchLaunches = launches;
  }
  return settings;
}

} // namespace heddle::cudart
