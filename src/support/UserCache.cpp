// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/UserCache.h"

#include "support/Files.h"

#include <cstdlib>

namespace fs = std::filesystem;

namespace heddle {
namespace {

const char *setVariable(const char *name) {
  const char *value = std::getenv(name);
  return value && *value ? value : nullptr;
}

} // namespace

std::optional<fs::path> userCacheFolder(std::string_view name) {
  fs::path caches;
  if (const char *wanted = setVariable("XDG_CACHE_HOME"))
    caches = wanted;
  else if (const char *home = setVariable("HOME"))
    caches = fs::path(home) / ".cache";
  const fs::path folder = caches / "heddle" / name;
  return caches.empty() || whyNotFillable(folder) ? std::nullopt : std::optional(folder);
}

} // namespace heddle
