// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "arch/Arch.h"

#include "support/Diagnostics.h"
#include "support/Paths.h"
#include "support/Suggest.h"
#include "support/Text.h"

#include <fmt/format.h>

#include <algorithm>

namespace fs = std::filesystem;

namespace heddle::arch {
namespace {

std::string lowerCase(std::string_view text) {
  std::string result(text);
  for (char &c : result)
    c = char(std::tolower(static_cast<unsigned char>(c)));
  return result;
}

/// "Tesla V100", "geforce-rtx-5090": what a person may put around or between the letters and digits that
/// count.
std::string bare(std::string_view name) {
  std::string result = lowerCase(name);
  for (std::string_view brand : {"nvidia", "tesla", "geforce"})
    if (size_t at = result.find(brand); at != std::string::npos)
      result.erase(at, brand.size());
  std::erase_if(result, [](char c) { return c == ' ' || c == '-' || c == '_'; });
  return result;
}

/// "sm_90a", "compute_90", "90" and "9.0" all say "90"; anything else says nothing.
std::string capabilityDigits(std::string_view name) {
  std::string text = lowerCase(name);
  bool prefixed = false;
  for (std::string_view prefix : {"sm_", "compute_"})
    if (text.starts_with(prefix)) {
      text.erase(0, prefix.size());
      prefixed = true;
    }
  // 'a' and 'f' mark code for exactly this chip or its family; the limits are the same.
  if (prefixed && (text.ends_with('a') || text.ends_with('f')))
    text.pop_back();
  if (size_t dot = text.find('.'); dot != std::string::npos && !prefixed)
    text.erase(dot, 1);
  bool allDigits = !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
  return allDigits ? text : std::string();
}

bool answersTo(const Arch &arch, std::string_view name) {
  if (std::string digits = capabilityDigits(name); !digits.empty())
    return digits == fmt::format("{}{}", arch.major, arch.minor);
  std::string wanted = bare(name);
  return wanted == bare(arch.generation) ||
         std::find(arch.aliases.begin(), arch.aliases.end(), wanted) != arch.aliases.end();
}

/// The tables nearest to a compute capability that has none: 91 is next to 90, then 89, 86...
std::vector<std::string> nearestCapabilities(const std::string &digits, const std::vector<Arch> &archs) {
  long wanted = digits.size() > 6 ? 1000000 : std::stol(digits);
  auto distance = [&](const Arch *arch) { return std::abs(long(arch->major * 10 + arch->minor) - wanted); };
  std::vector<const Arch *> sorted;
  for (const Arch &arch : archs)
    sorted.push_back(&arch);
  std::stable_sort(sorted.begin(), sorted.end(),
                   [&](const Arch *a, const Arch *b) { return distance(a) < distance(b); });
  std::vector<std::string> names;
  for (const Arch *arch : sorted)
    names.push_back(arch->name);
  return names;
}

std::vector<std::string> nearestSpellings(std::string_view name, const std::vector<Arch> &archs) {
  std::vector<std::string> spellings;
  for (const Arch &arch : archs) {
    spellings.push_back(arch.name);
    spellings.insert(spellings.end(), arch.aliases.begin(), arch.aliases.end());
  }
  return nearestFirst(lowerCase(name), spellings);
}

/// Of numbers only a beginning is a likely slip: sm_9 is meant to be sm_90, but sm_91 may be meant as it is.
std::string questionAbout(const std::string &beginning, const std::vector<std::string> &names) {
  const auto found = std::find_if(names.begin(), names.end(),
                                  [&](const std::string &name) { return name.starts_with(beginning); });
  return found == names.end() ? "" : fmt::format("did you mean '{}'?", *found);
}

void reportUnknown(std::string_view name, const std::vector<Arch> &archs, Diagnostics &diagnostics) {
  std::string digits = capabilityDigits(name);
  std::vector<std::string> nearest =
      digits.empty() ? nearestSpellings(name, archs) : nearestCapabilities(digits, archs);
  const std::string question =
      digits.empty() ? didYouMean(lowerCase(name), nearest) : questionAbout("sm_" + digits, nearest);
  nearest.resize(std::min<size_t>(nearest.size(), 3));
  diagnostics.error({}, fmt::format("there is no architecture '{}'", name))
      .withHint(fmt::format("{} 'heddle arch' lists them all",
                            question.empty() ? "nearest: " + joinAnd(nearest) + ";" : question));
}

} // namespace

std::string Arch::computeCapability() const { return fmt::format("{}.{}", major, minor); }

std::vector<Arch> loadArchs(const fs::path &folder, Diagnostics &diagnostics) {
  std::vector<fs::path> files;
  std::error_code failure;
  for (const fs::directory_entry &entry : fs::directory_iterator(folder, failure))
    if (entry.path().extension() == ".json")
      files.push_back(entry.path());
  if (files.empty())
    diagnostics.error({folder.string(), 0, 0, 0, {}}, "there are no architecture tables in this folder");
  std::sort(files.begin(), files.end()); // so that errors come in the same order everywhere

  std::vector<Arch> archs;
  for (const fs::path &file : files)
    if (std::optional<Arch> arch = readArch(file, diagnostics))
      archs.push_back(std::move(*arch));
  std::sort(archs.begin(), archs.end(), [](const Arch &a, const Arch &b) {
    return std::pair(a.major, a.minor) < std::pair(b.major, b.minor);
  });
  return archs;
}

std::vector<Arch> loadArchs(Diagnostics &diagnostics) {
  fs::path folder = dataFolder("arch");
  if (folder.empty()) {
    diagnostics.error({}, "Heddle's architecture tables are not there")
        .withHint("set HEDDLE_DATA to the folder that holds 'arch'");
    return {};
  }
  return loadArchs(folder, diagnostics);
}

const Arch *findArch(std::string_view name, const std::vector<Arch> &archs, Diagnostics &diagnostics) {
  for (const Arch &arch : archs)
    if (answersTo(arch, name))
      return &arch;
  reportUnknown(name, archs, diagnostics);
  return nullptr;
}

const Arch *newestUpTo(unsigned major, unsigned minor, const std::vector<Arch> &archs) {
  const Arch *newest = nullptr;
  for (const Arch &arch : archs)
    if (std::pair(arch.major, arch.minor) <= std::pair(major, minor))
      newest = &arch;
  return newest;
}

namespace {

/// The table of a GPU that is called by its own name, "sm_90": others need not be read for it. Every simulated program asks at its start.
std::optional<Arch> tableNamed(std::string_view name) {
  const bool isOwnName = name.starts_with("sm_") && name.find_first_of("./") == std::string_view::npos;
  const fs::path file = dataFolder("arch") / (std::string(name) + ".json");
  std::error_code ignored;
  if (!isOwnName || !fs::exists(file, ignored))
    return std::nullopt;
  Diagnostics apart; // what is wrong with it is reported with all others
  std::optional<Arch> read = readArch(file, apart);
  return read && answersTo(*read, name) ? read : std::nullopt;
}

} // namespace

std::optional<Arch> findArch(std::string_view name, Diagnostics &diagnostics) {
  if (std::optional<Arch> named = tableNamed(name))
    return named;
  std::vector<Arch> archs = loadArchs(diagnostics);
  if (archs.empty())
    return std::nullopt;
  const Arch *found = findArch(name, archs, diagnostics);
  return found ? std::optional<Arch>(*found) : std::nullopt;
}

} // namespace heddle::arch
