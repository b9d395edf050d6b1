// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A call of add() goes through three steps:
//  1. hash every chunk, on all threads;
//  2. in order: give each content that is new the next number;
//  3. compress the new chunks, on all threads, a few at a time, and append each group in order. A group at a time bounds
//     the memory for compressed chunks.
// Numbers and offsets depend on the order of the bytes alone, so the files are the same with any number of threads.
#include "capture/StoreWriter.h"

#include "capture/Compression.h"
#include "capture/Parallel.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>

namespace heddle::capture {
namespace {

constexpr size_t kChunksPerThread = 8;

bool isZero(const unsigned char *data, uint64_t bytes) {
  return bytes == 0 || (data[0] == 0 && std::memcmp(data, data + 1, size_t(bytes) - 1) == 0);
}

bool writeAll(int file, const void *data, uint64_t bytes) {
  const auto *from = static_cast<const char *>(data);
  while (bytes) {
    const ssize_t done = ::write(file, from, size_t(bytes));
    if (done < 0 && errno == EINTR)
      continue;
    if (done <= 0)
      return false;
    from += done;
    bytes -= uint64_t(done);
  }
  return true;
}

int created(const std::filesystem::path &file) {
  return ::open(file.c_str(), O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0666);
}

} // namespace

StoreWriter::StoreWriter(std::filesystem::path target, unsigned threadCount, uint64_t chunkBytes)
    : folder(std::move(target)),
      threads(threadCount ? threadCount : std::max(1u, std::thread::hardware_concurrency())) {
  index.chunkBytes = chunkBytes;
  // An index from an earlier capture must not describe the new chunks, should this one not come to its end.
  std::error_code ignored;
  std::filesystem::remove(folder / "memory.index", ignored);
  file = created(folder / "memory.bin");
  if (file < 0)
    failed("memory.bin");
}

StoreWriter::~StoreWriter() {
  if (file >= 0)
    ::close(file);
}

void StoreWriter::failed(const std::string &what) {
  if (whyNot.empty())
    whyNot = (folder / what).string() + ": cannot be written: " + std::strerror(errno);
}

void StoreWriter::append(const unsigned char *data, Chunk &chunk, const std::vector<unsigned char> *shorter) {
  if (chunk.form == ChunkForm::Zero)
    return;
  chunk.form = shorter ? ChunkForm::Zlib : ChunkForm::Plain;
  chunk.storedBytes = shorter ? shorter->size() : chunk.bytes;
  chunk.offset = fileBytes;
  if (!writeAll(file, shorter ? shorter->data() : data, chunk.storedBytes))
    failed("memory.bin");
  fileBytes += chunk.storedBytes;
}

std::vector<uint64_t> StoreWriter::add(const void *data, uint64_t bytes) {
  const auto *from = static_cast<const unsigned char *>(data);
  const size_t count = size_t((bytes + index.chunkBytes - 1) / index.chunkBytes);
  const auto bytesOf = [&](size_t i) { return std::min(index.chunkBytes, bytes - i * index.chunkBytes); };

  std::vector<Hash128> hashes(count);
  forEachIndex(count, threads,
               [&](size_t i) { hashes[i] = hashOf(from + i * index.chunkBytes, size_t(bytesOf(i))); });

  struct New {
    size_t position;
    uint64_t number;
  };
  std::vector<uint64_t> result;
  std::vector<New> fresh;
  for (size_t i = 0; i < count; ++i) {
    const auto [known, isNew] = numbers.emplace(hashes[i], index.chunks.size());
    result.push_back(known->second);
    if (!isNew)
      continue;
    fresh.push_back({i, known->second});
    index.chunks.push_back({hashes[i], 0, 0, bytesOf(i), ChunkForm::Zero});
  }

  const size_t group = threads * kChunksPerThread;
  for (size_t first = 0; first < fresh.size() && whyNot.empty(); first += group) {
    const size_t here = std::min(group, fresh.size() - first);
    std::vector<std::optional<std::vector<unsigned char>>> shorter(here);
    forEachIndex(here, threads, [&](size_t i) {
      const New &one = fresh[first + i];
      const unsigned char *content = from + one.position * index.chunkBytes;
      Chunk &chunk = index.chunks[one.number];
      if (isZero(content, chunk.bytes))
        return;
      chunk.form = ChunkForm::Plain;
      shorter[i] = compressed(content, size_t(chunk.bytes));
    });
    for (size_t i = 0; i < here; ++i)
      append(from + fresh[first + i].position * index.chunkBytes, index.chunks[fresh[first + i].number],
             shorter[i] ? &*shorter[i] : nullptr);
  }
  return result;
}

bool StoreWriter::finish(const std::vector<StoredObject> &objects) {
  index.objects = objects;
  const int closed = file < 0 ? 0 : ::close(file);
  file = -1;
  if (closed != 0)
    failed("memory.bin");
  if (!whyNot.empty())
    return false;
  const std::vector<uint64_t> words = wordsOf(index);
  const int out = created(folder / "memory.index");
  if (out < 0 || !writeAll(out, words.data(), words.size() * sizeof words[0]) || ::close(out) != 0)
    failed("memory.index");
  return whyNot.empty();
}

} // namespace heddle::capture
