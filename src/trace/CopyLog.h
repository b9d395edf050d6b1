// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A file with everything a program copied from the device to the host, in the order it asked for it. Written by a
// CopyRecorder, read by `heddle verify`. Header-only and C++17, so that preloaded libraries need nothing of Heddle at
// run time and can be compiled where the GPU is.
//
//   file      "heddle.copies/1\n", then records
//   record    Header, kernel name, bytes
#pragma once

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace heddle::trace {

/// One copy from device to host.
struct CopyRecord {
  uint64_t sequence = 0;   ///< counts the program's copies, in the order of the calls
  uint64_t launches = 0;   ///< how many kernels were launched before
  uint64_t allocation = 0; ///< which of the program's allocations, from 1; 0: none is known
  uint64_t allocationBytes = 0;
  uint64_t offset = 0;          ///< of the first byte in the allocation
  uint64_t rowBytes = 0;        ///< of a 2-D or 3-D copy, packed row after row; else all bytes
  uint64_t kernelLaunch = 0;    ///< the newest launch that was given the allocation, from 1; 0: none
  int32_t kernelParameter = -1; ///< which of its parameters pointed there
  std::string kernel;           ///< its name, mangled; or the variable's name for a symbol
  std::vector<uint8_t> bytes;
};

class CopyLogWriter {
public:
  static constexpr std::string_view kMagic = "heddle.copies/1\n";

  ~CopyLogWriter() {
    if (file)
      std::fclose(file);
  }
  bool open(const std::string &path) {
    failure = 0; // of an earlier try at another path
    file = std::fopen(path.c_str(), "wbe");
    if (!file)
      failure = errno;
    return file && put(kMagic.data(), kMagic.size());
  }
  bool isOpen() const { return file; }
  /// errno of the first thing that could not be written; 0 where everything is in the file.
  int error() const { return failure; }

  void write(const CopyRecord &record) {
    std::lock_guard lock(guard);
    uint64_t numbers[] = {record.sequence,      record.launches,
                          record.allocation,    record.allocationBytes,
                          record.offset,        record.rowBytes,
                          record.kernelLaunch,  uint64_t(int64_t(record.kernelParameter)),
                          record.kernel.size(), record.bytes.size()};
    // A record after one that is cut short could not be read: nothing more is written then.
    const bool isWhole = !failure && put(numbers, sizeof numbers) &&
                         put(record.kernel.data(), record.kernel.size()) &&
                         put(record.bytes.data(), record.bytes.size());
    // The program may end in any way.
    if (isWhole && std::fflush(file) != 0)
      failure = errno;
  }

private:
  bool put(const void *bytes, size_t count) {
    if (std::fwrite(bytes, 1, count, file) != count && !failure)
      failure = errno;
    return !failure;
  }

  std::FILE *file = nullptr;
  int failure = 0;
  std::mutex guard;
};

/// Reads a log record by record; a file that ends in the middle ends the log. Copies of several streams are in the
/// file in the order in which they were done, which is another one in each run; they are read in the order of the
/// calls.
class CopyLogReader {
public:
  ~CopyLogReader() {
    if (file)
      std::fclose(file);
  }
  bool open(const std::string &path) {
    file = std::fopen(path.c_str(), "rbe");
    char magic[CopyLogWriter::kMagic.size()];
    const bool isLog = file && std::fread(magic, sizeof magic, 1, file) == 1 &&
                       std::string_view(magic, sizeof magic) == CopyLogWriter::kMagic;
    if (isLog)
      findRecords();
    return isLog;
  }
  bool next(CopyRecord &record) {
    uint64_t numbers[NumberCount];
    if (at == places.size() || std::fseek(file, places[at++].offset, SEEK_SET) != 0 ||
        std::fread(numbers, sizeof numbers, 1, file) != 1)
      return false;
    record.sequence = numbers[0];
    record.launches = numbers[1];
    record.allocation = numbers[2];
    record.allocationBytes = numbers[3];
    record.offset = numbers[4];
    record.rowBytes = numbers[5];
    record.kernelLaunch = numbers[6];
    record.kernelParameter = int32_t(int64_t(numbers[7]));
    record.kernel.resize(numbers[8]);
    record.bytes.resize(numbers[9]);
    return readAll(record.kernel.data(), numbers[8]) && readAll(record.bytes.data(), numbers[9]);
  }

private:
  static constexpr size_t NumberCount = 10;
  struct Place {
    uint64_t sequence;
    long offset;
  };

  /// A graph's copies have the number of the call that recorded them, in each of its runs: those keep their order.
  void findRecords() {
    uint64_t numbers[NumberCount];
    const long first = std::ftell(file);
    std::fseek(file, 0, SEEK_END);
    const long end = std::ftell(file);
    for (long offset = first, next;
         std::fseek(file, offset, SEEK_SET) == 0 && std::fread(numbers, sizeof numbers, 1, file) == 1;
         offset = next) {
      next = offset + long(sizeof numbers + numbers[8] + numbers[9]);
      if (next < offset || next > end)
        break; // cut short
      places.push_back({numbers[0], offset});
    }
    std::stable_sort(places.begin(), places.end(),
                     [](const Place &a, const Place &b) { return a.sequence < b.sequence; });
  }

  bool readAll(void *to, size_t bytes) { return std::fread(to, 1, bytes, file) == bytes; }
  std::FILE *file = nullptr;
  std::vector<Place> places;
  size_t at = 0;
};

} // namespace heddle::trace
