// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "check/Checker.h"

#include <algorithm>

namespace heddle::check {
namespace {

std::string linesOf(const Finding &finding) {
  std::vector<std::string> lines = {lineOf(finding.location)};
  for (const Finding::Note &note : finding.notes)
    lines.push_back(lineOf(note.location));
  std::sort(lines.begin(), lines.end());
  std::string text;
  for (const std::string &line : lines)
    text += "|" + line;
  return text;
}

std::string keyOf(const Finding &finding) {
  return std::string(idOf(finding.rule)) + "|" + finding.kernel + linesOf(finding);
}

auto orderOf(const Finding &f) {
  return std::tuple(f.location.file, f.location.line, f.location.column, unsigned(f.rule), f.kernel, f.text);
}

/// The memory that a race is about, without the element: "s" of "s[32] is written here ...", "allocation 2 (...), parameter 'x' of f" of
/// "element 3 of allocation 2 ...".
std::string memoryOf(const Finding &finding) {
  std::string name = finding.text.substr(0, finding.text.find(" is "));
  for (const char *unit : {"element ", "byte "})
    if (const size_t of = name.find(" of "); name.starts_with(unit) && of != std::string::npos)
      return name.substr(of);
  return name.substr(0, std::min(name.find('['), name.find(" at byte ")));
}

/// The race between warps of the accesses that race between lanes of a warp too.
auto raceOf(const Finding &lockstep, std::vector<Finding> &races) {
  return std::ranges::find_if(races, [&](const Finding &race) {
    return (race.rule == Rule::RaceShared || race.rule == Rule::RaceGlobal) &&
           race.kernel == lockstep.kernel && linesOf(race) == linesOf(lockstep) &&
           memoryOf(race) == memoryOf(lockstep);
  });
}

/// Such a pair is one defect, and the race is the finding: what orders warps orders lanes.
std::vector<Finding> withLockstepFolded(std::vector<Finding> list) {
  const auto lockstep = std::stable_partition(
      list.begin(), list.end(), [](const Finding &finding) { return finding.rule != Rule::WarpLockstep; });
  std::vector<Finding> left(lockstep, list.end());
  list.erase(lockstep, list.end());
  for (Finding &finding : left)
    if (const auto race = raceOf(finding, list); race != list.end())
      race->times += finding.times;
    else
      list.push_back(std::move(finding));
  return list;
}

} // namespace

void FindingList::add(Finding finding, const std::string &key) {
  std::lock_guard lock(guard);
  auto [at, fresh] = byKey.try_emplace(key, std::move(finding));
  if (!fresh)
    ++at->second.times;
  changed += fresh;
}

void FindingList::add(Finding finding) {
  const std::string key = keyOf(finding);
  add(std::move(finding), key);
}

void FindingList::again(const std::string &key) {
  std::lock_guard lock(guard);
  if (auto at = byKey.find(key); at != byKey.end())
    ++at->second.times;
}

void FindingList::withdraw(const std::string &key) {
  std::lock_guard lock(guard);
  changed += byKey.erase(key);
}

std::vector<Finding> FindingList::all() const {
  std::vector<Finding> list;
  {
    std::lock_guard lock(guard);
    for (const auto &[key, finding] : byKey)
      list.push_back(finding);
  }
  list = withLockstepFolded(std::move(list));
  std::sort(list.begin(), list.end(),
            [](const Finding &a, const Finding &b) { return orderOf(a) < orderOf(b); });
  return list;
}

bool FindingList::empty() const {
  std::lock_guard lock(guard);
  return byKey.empty();
}

uint64_t FindingList::changes() const {
  std::lock_guard lock(guard);
  return changed;
}

} // namespace heddle::check
