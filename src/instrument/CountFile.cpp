// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values one after the other, each list with its length before it. Both sides are of the same build, so there is no
// version.
#include "instrument/CountFile.h"

#include <fstream>

namespace heddle::instrument {
namespace {

namespace fs = std::filesystem;

class Out {
public:
  explicit Out(const fs::path &file)
      : target(file), unfinished(file.string() + ".new"), out(unfinished, std::ios::binary) {}

  template <class T> void number(T value) { out.write(reinterpret_cast<const char *>(&value), sizeof value); }
  template <class List> void list(const List &values) {
    number(uint64_t(values.size()));
    out.write(reinterpret_cast<const char *>(values.data()),
              std::streamsize(values.size() * sizeof(*values.data())));
  }
  void counts(const std::map<std::string, uint64_t> &byKernel) {
    number(uint64_t(byKernel.size()));
    for (const auto &[kernel, count] : byKernel)
      list(kernel), number(count);
  }
  /// The file is there as a whole or not at all.
  bool finish() {
    out.close();
    std::error_code error;
    if (out)
      fs::rename(unfinished, target, error);
    return bool(out) && !error;
  }

private:
  const fs::path target, unfinished;
  std::ofstream out;
};

class In {
public:
  explicit In(const fs::path &file) : in(file, std::ios::binary) {
    std::error_code error;
    bytes = fs::file_size(file, error);
  }

  template <class T> void number(T &value) { in.read(reinterpret_cast<char *>(&value), sizeof value); }
  template <class List> void list(List &values) {
    uint64_t size = 0;
    number(size);
    if (size > bytes) // damaged
      return in.setstate(std::ios::failbit);
    values.resize(size);
    in.read(reinterpret_cast<char *>(values.data()), std::streamsize(size * sizeof(*values.data())));
  }
  void counts(std::map<std::string, uint64_t> &byKernel) {
    uint64_t size = 0;
    number(size);
    while (in && size-- > 0) {
      std::string kernel;
      list(kernel);
      number(byKernel[kernel]);
    }
  }
  explicit operator bool() const { return bool(in); }

private:
  std::ifstream in;
  uint64_t bytes = 0;
};

template <class File, class Launch> void eachField(File &file, Launch &launch) {
  file.list(launch.kernel);
  file.list(launch.image);
  file.number(launch.number);
  for (int i = 0; i < 3; ++i)
    file.number(launch.grid[i]), file.number(launch.block[i]);
  file.number(launch.dynamicSharedBytes);
  file.number(launch.every);
  file.list(launch.warpSums);
  file.list(launch.absentLanes);
  file.list(launch.values);
  file.number(launch.warps);
  file.number(launch.divergentWarps);
}

} // namespace

bool writeLaunch(const fs::path &file, const CountedLaunch &launch) {
  Out out(file);
  eachField(out, launch);
  const divergence::BlockVectors &vectors = launch.vectors;
  out.number(vectors.blocks());
  out.number(vectors.distinct());
  for (uint32_t row = 0; row < vectors.distinct(); ++row)
    out.list(vectors.row(row));
  std::vector<uint32_t> rowOf(vectors.threads());
  for (uint32_t t = 0; t < vectors.threads(); ++t)
    rowOf[t] = vectors.rowOfThread(t);
  out.list(rowOf);
  return out.finish();
}

std::optional<CountedLaunch> readLaunch(const fs::path &file) {
  In in(file);
  CountedLaunch launch;
  eachField(in, launch);
  uint32_t blocks = 0, distinct = 0;
  in.number(blocks);
  in.number(distinct);
  launch.vectors = divergence::BlockVectors(blocks);
  std::vector<uint32_t> numbers;
  for (uint32_t row = 0; in && row < distinct; ++row) {
    in.list(numbers);
    launch.vectors.rowWith(numbers);
  }
  in.list(numbers);
  if (!in)
    return std::nullopt;
  launch.vectors.setThreads(uint32_t(numbers.size()));
  for (uint32_t t = 0; t < numbers.size(); ++t)
    launch.vectors.setRow(t, numbers[t]);
  return launch;
}

bool writeResult(const fs::path &file, const CountingResult &result) {
  Out out(file);
  out.list(result.device);
  out.number(result.counted);
  for (const auto *counts : {&result.skipped, &result.stopped, &result.unknown})
    out.counts(*counts);
  out.list(result.error);
  return out.finish();
}

std::optional<CountingResult> readResult(const fs::path &file) {
  In in(file);
  CountingResult result;
  in.list(result.device);
  in.number(result.counted);
  for (auto *counts : {&result.skipped, &result.stopped, &result.unknown})
    in.counts(*counts);
  in.list(result.error);
  return in ? std::optional(result) : std::nullopt;
}

} // namespace heddle::instrument
