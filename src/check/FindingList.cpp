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
