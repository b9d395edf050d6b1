// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace heddle::ptx {

/// Names to what they represent. Looking up a register is what a PTX parser does most, so: open addressing,
/// keys that point into the text, and emptying for the next function by a new generation number.
template <class Value> class NameTable {
public:
  NameTable() : entries(64) {}

  const Value *find(std::string_view name) const {
    const Entry &entry = entries[slotOf(name, hashOf(name))];
    return entry.generation == generation ? &entry.value : nullptr;
  }
  Value *find(std::string_view name) {
    return const_cast<Value *>(static_cast<const NameTable *>(this)->find(name));
  }

  void set(std::string_view name, Value value) {
    if (used * 2 >= entries.size())
      grow();
    uint32_t hash = hashOf(name);
    Entry &entry = entries[slotOf(name, hash)];
    if (entry.generation != generation)
      ++used;
    entry = {name, hash, generation, value};
  }

  void clear() {
    ++generation;
    used = 0;
  }

private:
  struct Entry {
    std::string_view name;
    uint32_t hash = 0;
    uint32_t generation = 0;
    Value value{};
  };

  static uint32_t hashOf(std::string_view name) {
    uint32_t hash = 2166136261u;
    for (char c : name)
      hash = (hash ^ uint8_t(c)) * 16777619u;
    return hash ^ hash >> 15;
  }

  size_t slotOf(std::string_view name, uint32_t hash) const {
    size_t mask = entries.size() - 1;
    size_t slot = hash & mask;
    while (entries[slot].generation == generation &&
           (entries[slot].hash != hash || entries[slot].name != name))
      slot = (slot + 1) & mask;
    return slot;
  }

  void grow() {
    std::vector<Entry> old(entries.size() * 2);
    old.swap(entries);
    for (const Entry &entry : old)
      if (entry.generation == generation)
        entries[slotOf(entry.name, entry.hash)] = entry;
  }

  std::vector<Entry> entries;
  size_t used = 0;
  uint32_t generation = 1;
};

} // namespace heddle::ptx
