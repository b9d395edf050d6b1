// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/Environment.h"

namespace heddle::analysis {

const Value *Environment::find(const Key &key) const {
  auto at = values.find(key);
  return at == values.end() ? nullptr : &at->second;
}

void Environment::set(const Key &key, std::optional<Value> value) {
  auto at = values.find(key);
  const bool isThere = at != values.end();
  if (marks)
    journal.emplace_back(key, isThere ? std::optional(at->second) : std::nullopt);
  if (!value) {
    if (isThere)
      values.erase(at);
  } else if (isThere) {
    at->second = std::move(*value);
  } else {
    values.emplace(key, std::move(*value));
  }
}

void Environment::clear(const clang::VarDecl *variable) {
  std::vector<Key> keys;
  for (auto at = values.lower_bound({variable, ""}); at != values.end() && at->first.first == variable; ++at)
    keys.push_back(at->first);
  for (const Key &key : keys)
    set(key, std::nullopt);
}

std::vector<std::pair<std::string, Value>> Environment::members(const clang::VarDecl *variable) const {
  std::vector<std::pair<std::string, Value>> found;
  for (auto at = values.lower_bound({variable, ""}); at != values.end() && at->first.first == variable; ++at)
    if (!at->first.second.empty())
      found.emplace_back(at->first.second, at->second);
  return found;
}

size_t Environment::mark() {
  ++marks;
  return journal.size();
}

Environment::Changes Environment::since(size_t mark) const {
  Changes changes;
  for (size_t i = mark; i < journal.size(); ++i)
    changes.try_emplace(journal[i].first, Change{journal[i].second, std::nullopt});
  for (auto &[key, change] : changes)
    if (const Value *value = find(key))
      change.after = *value;
  return changes;
}

Environment::Changes Environment::undo(size_t mark) {
  Changes changes = since(mark);
  journal.resize(mark);
  --marks;
  for (const auto &[key, change] : changes) {
    if (change.before)
      values.insert_or_assign(key, *change.before);
    else
      values.erase(key);
  }
  return changes;
}

void Environment::keep(size_t) {
  if (--marks == 0)
    journal.clear();
}

void Environment::apply(const Changes &changes) {
  for (const auto &[key, change] : changes)
    set(key, change.after);
}

} // namespace heddle::analysis
