// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "chem/Names.h"

#include "chem/SourceText.h"
#include "support/Text.h"

#include <algorithm>

namespace heddle::chem {
namespace {

/// One letter is near every other: then a name must begin with it. Of names of two letters one may differ, of others
/// a third.
bool isNear(std::string_view wanted, std::string_view name) {
  if (wanted.size() == 1 && !name.starts_with(wanted))
    return false;
  return editDistance(wanted, name) <= std::max<size_t>(1, wanted.size() / 3);
}

} // namespace

std::string faultOfSpeciesName(std::string_view name) {
  // Equations are matched against names, longest first: what is no name must not make that slow.
  constexpr size_t longest = 128;
  if (name.size() > longest)
    return fmt::format("a species name of {} letters is too long", name.size());
  return name == "M" || name == "m"
             ? fmt::format("a species cannot be called '{}': that is any third body", name)
             : "";
}

std::pair<unsigned, bool> NameTable::add(std::string_view name, SourceLocation location) {
  auto [at, isNew] = exact.try_emplace(std::string(name), unsigned(names.size()));
  if (!isNew)
    return {at->second, false};
  auto [folded, isOnly] = ignoringCase.try_emplace(upperCase(name), at->second);
  if (!isOnly)
    folded->second = std::nullopt;
  names.emplace_back(name);
  locations.push_back(std::move(location));
  longestName = std::max(longestName, name.size());
  return {at->second, true};
}

std::optional<unsigned> NameTable::find(std::string_view name) const {
  if (auto found = exact.find(std::string(name)); found != exact.end())
    return found->second;
  auto found = ignoringCase.find(upperCase(name));
  return found == ignoringCase.end() ? std::nullopt : found->second;
}

std::string NameTable::didYouMean(std::string_view wanted) const {
  std::vector<std::string> near;
  std::ranges::copy_if(names, std::back_inserter(near),
                       [&](const std::string &name) { return isNear(wanted, name); });
  near = nearestFirst(wanted, std::move(near));
  if (near.empty())
    return "";
  return near.size() == 1 ? fmt::format("did you mean '{}'?", near[0])
                          : fmt::format("did you mean '{}' or '{}'?", near[0], near[1]);
}

std::string NameTable::hintFor(std::string_view wanted) const {
  if (wanted == "M" || wanted == "m")
    return fmt::format("'{}' represents any species", wanted);
  std::string near = didYouMean(wanted);
  return near.empty() ? fmt::format("declare '{}' among the species", wanted) : near;
}

} // namespace heddle::chem
