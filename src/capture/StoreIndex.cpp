// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "capture/StoreIndex.h"

#include <cstring>

namespace heddle::capture {
namespace {

constexpr char kMagic[] = "HEDDLEC1";
constexpr size_t kWordsOfChunk = 6;

uint64_t magicWord() {
  uint64_t word = 0;
  std::memcpy(&word, kMagic, sizeof word);
  return word;
}

uint64_t endWord(const std::vector<uint64_t> &words, size_t count) {
  return hashOf(words.data(), count * sizeof(uint64_t)).low;
}

/// Reads words; beyond the end it reads zeros and remembers that.
class Words {
public:
  explicit Words(const std::vector<uint64_t> &words, size_t count) : words(words), count(count) {}

  uint64_t next() { return at < count ? words[at++] : (short_ = true, 0); }
  /// A number of things that have at least `wordsEach` words: never more than there can be.
  size_t nextCount(size_t wordsEach) {
    const uint64_t value = next();
    if (value > (count - at) / wordsEach)
      return short_ = true, 0;
    return size_t(value);
  }
  bool isShort() const { return short_; }
  bool isRead() const { return !short_ && at == count; }

private:
  const std::vector<uint64_t> &words;
  size_t count, at = 0;
  bool short_ = false;
};

Chunk chunkFrom(Words &words) {
  Chunk chunk;
  chunk.hash.low = words.next();
  chunk.hash.high = words.next();
  chunk.offset = words.next();
  chunk.storedBytes = words.next();
  chunk.bytes = words.next();
  chunk.form = ChunkForm(words.next());
  return chunk;
}

bool isConsistent(const Chunk &chunk, uint64_t chunkBytes) {
  if (chunk.bytes == 0 || chunk.bytes > chunkBytes || chunk.form > ChunkForm::Zlib)
    return false;
  switch (chunk.form) {
  case ChunkForm::Zero: return chunk.storedBytes == 0;
  case ChunkForm::Plain: return chunk.storedBytes == chunk.bytes;
  case ChunkForm::Zlib: return chunk.storedBytes < chunk.bytes;
  }
  return false;
}

bool isConsistent(const StoredObject &object, const StoreIndex &index) {
  for (size_t i = 0; i < object.before.size(); ++i) {
    const uint64_t before = object.before[i], after = object.after[i];
    if (before >= index.chunks.size() || after >= index.chunks.size() ||
        index.chunks[before].bytes != index.chunks[after].bytes)
      return false;
    if (i + 1 < object.before.size() && index.chunks[before].bytes != index.chunkBytes)
      return false;
  }
  return true;
}

bool isConsistent(const StoreIndex &index) {
  for (const Chunk &chunk : index.chunks)
    if (!isConsistent(chunk, index.chunkBytes))
      return false;
  for (const StoredObject &object : index.objects)
    if (!isConsistent(object, index))
      return false;
  return true;
}

} // namespace

uint64_t StoreIndex::bytesOf(const StoredObject &object) const {
  return object.before.empty() ? 0
                               : (object.before.size() - 1) * chunkBytes + chunks[object.before.back()].bytes;
}

std::vector<uint64_t> wordsOf(const StoreIndex &index) {
  std::vector<uint64_t> words = {magicWord(), index.chunkBytes, index.chunks.size()};
  for (const Chunk &chunk : index.chunks)
    words.insert(words.end(), {chunk.hash.low, chunk.hash.high, chunk.offset, chunk.storedBytes, chunk.bytes,
                               uint64_t(chunk.form)});
  words.push_back(index.objects.size());
  for (const StoredObject &object : index.objects) {
    words.push_back(object.before.size());
    words.insert(words.end(), object.before.begin(), object.before.end());
    words.insert(words.end(), object.after.begin(), object.after.end());
  }
  words.push_back(endWord(words, words.size()));
  return words;
}

std::optional<StoreIndex> indexOf(const std::vector<uint64_t> &all, std::string &error) {
  const auto failed = [&error](const char *why) {
    error = std::string("memory.index: ") + why;
    return std::nullopt;
  };
  if (all.empty() || all.front() != magicWord())
    return failed("no index of a capture of this version");
  if (all.back() != endWord(all, all.size() - 1))
    return failed("damaged or truncated: its hash differs");
  Words words(all, all.size() - 1);
  words.next();
  StoreIndex index;
  index.chunkBytes = words.next();
  index.chunks.resize(words.nextCount(kWordsOfChunk));
  for (Chunk &chunk : index.chunks)
    chunk = chunkFrom(words);
  index.objects.resize(words.nextCount(1));
  for (StoredObject &object : index.objects) {
    const size_t count = words.nextCount(2);
    for (std::vector<uint64_t> *numbers : {&object.before, &object.after})
      for (size_t i = 0; i < count; ++i)
        numbers->push_back(words.next());
  }
  if (!words.isRead() || !isConsistent(index))
    return failed("inconsistent");
  return index;
}

} // namespace heddle::capture
