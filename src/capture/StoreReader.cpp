// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "capture/StoreReader.h"

#include "capture/Compression.h"
#include "capture/Parallel.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <mutex>
#include <sys/stat.h>
#include <unistd.h>

namespace heddle::capture {
namespace {

std::optional<std::vector<uint64_t>> wordsIn(const std::filesystem::path &file, std::string &error) {
  std::ifstream in(file, std::ios::binary);
  if (!in) {
    error = file.string() + ": cannot be read: " + std::strerror(errno);
    return std::nullopt;
  }
  const std::string bytes((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  std::vector<uint64_t> words(bytes.size() / sizeof(uint64_t));
  if (!words.empty())
    std::memcpy(words.data(), bytes.data(), words.size() * sizeof(uint64_t));
  return words;
}

bool readAt(int file, uint64_t offset, void *to, uint64_t bytes) {
  auto *out = static_cast<char *>(to);
  while (bytes) {
    const ssize_t done = ::pread(file, out, size_t(bytes), off_t(offset));
    if (done < 0 && errno == EINTR)
      continue;
    if (done <= 0)
      return false;
    out += done;
    offset += uint64_t(done);
    bytes -= uint64_t(done);
  }
  return true;
}

} // namespace

std::optional<StoreReader> StoreReader::open(const std::filesystem::path &folder, std::string &error) {
  const std::optional<std::vector<uint64_t>> words = wordsIn(folder / "memory.index", error);
  if (!words)
    return std::nullopt;
  std::optional<StoreIndex> index = indexOf(*words, error);
  if (!index)
    return std::nullopt;
  const std::filesystem::path memory = folder / "memory.bin";
  StoreReader reader;
  reader.contents = std::move(*index);
  reader.file = std::shared_ptr<int>(new int(::open(memory.c_str(), O_RDONLY | O_CLOEXEC)), [](int *open) {
    if (*open >= 0)
      ::close(*open);
    delete open;
  });
  struct stat status = {};
  if (*reader.file < 0 || ::fstat(*reader.file, &status) != 0) {
    error = memory.string() + ": cannot be read: " + std::strerror(errno);
    return std::nullopt;
  }
  for (const Chunk &chunk : reader.contents.chunks) {
    const uint64_t end = chunk.offset + chunk.storedBytes;
    if (end > uint64_t(status.st_size) || end < chunk.offset) {
      error = "memory.bin: truncated: has " + std::to_string(status.st_size) + " bytes, a chunk ends at " +
              std::to_string(end);
      return std::nullopt;
    }
    if (chunk.form == ChunkForm::Zlib && !hasCompression()) {
      error = "memory.bin: compressed by zlib, which this program was built without";
      return std::nullopt;
    }
  }
  return reader;
}

std::vector<size_t> StoreReader::changedChunks(size_t object) const {
  const StoredObject &stored = contents.objects[object];
  std::vector<size_t> changed;
  for (size_t i = 0; i < stored.before.size(); ++i)
    if (stored.before[i] != stored.after[i])
      changed.push_back(i);
  return changed;
}

bool StoreReader::readChunk(uint64_t number, void *to, std::string &error) const {
  const Chunk &chunk = contents.chunks[number];
  auto *out = static_cast<unsigned char *>(to);
  bool isRead = true;
  if (chunk.form == ChunkForm::Zero) {
    std::memset(out, 0, size_t(chunk.bytes));
  } else if (chunk.form == ChunkForm::Plain) {
    isRead = readAt(*file, chunk.offset, out, chunk.bytes);
  } else {
    std::vector<unsigned char> stored(chunk.storedBytes);
    isRead = readAt(*file, chunk.offset, stored.data(), stored.size()) &&
             decompress(stored.data(), stored.size(), out, size_t(chunk.bytes));
  }
  if (isRead && hashOf(out, size_t(chunk.bytes)) == chunk.hash)
    return true;
  error = "memory.bin: chunk " + std::to_string(number) + " at byte " + std::to_string(chunk.offset) +
          " is damaged";
  return false;
}

bool StoreReader::readObject(size_t object, When when, void *to, std::string &error, unsigned threads) const {
  const StoredObject &stored = contents.objects[object];
  const std::vector<uint64_t> &chunks = when == When::Before ? stored.before : stored.after;
  std::mutex guard;
  std::string first;
  forEachIndex(chunks.size(), threads ? threads : std::thread::hardware_concurrency(), [&](size_t i) {
    std::string why;
    if (readChunk(chunks[i], static_cast<char *>(to) + i * contents.chunkBytes, why))
      return;
    std::lock_guard<std::mutex> lock(guard);
    if (first.empty())
      first = why;
  });
  if (!first.empty())
    error = first;
  return first.empty();
}

} // namespace heddle::capture
