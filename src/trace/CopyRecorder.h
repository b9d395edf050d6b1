// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Makes the records of a copy log from what a program does. Used by the simulator's runtime and by the libraries that
// are preloaded on a real GPU, so that recordings of both can be compared: what a record contains is decided here
// alone. Header-only and C++17, since preloaded libraries are compiled where the GPU is.
//
// Which data a copy contains follows from the kernel and the parameter that its memory was passed to last: the
// parameter's type is the type of the data. Any aligned word of an argument that points into an allocation counts, so
// that pointers inside structs do too.
//
// The host reads managed and mapped memory without a copy. What kernels may have changed there counts as copied to
// the host whenever the host waits for the device (hostHasWaited).
#pragma once

#include "trace/CopyLog.h"

#include <map>
#include <optional>
#include <set>
#include <utility>

namespace heddle::trace {

/// An allocation of the program, or one of its variables.
struct Piece {
  uint64_t id = 0; ///< counts allocations from 1; 0: a variable that is no allocation
  uint64_t address = 0;
  uint64_t bytes = 0;
  bool hostReads = false; ///< managed or pinned: the host needs no copy
  std::string name;       ///< of a variable; else empty
};

/// One argument of a launch.
struct ArgumentBytes {
  const void *data = nullptr;
  size_t bytes = 0;
  size_t offset = 0; ///< in the block of all arguments
};

class CopyRecorder {
public:
  bool open(const std::string &path) { return log.open(path); }
  bool isOn() const { return log.isOpen(); }
  /// errno of the first thing that could not be written; 0 where everything is in the file.
  int error() const { return log.error(); }

  /// `find(address)` is the piece that an address is in, an optional<Piece>. `hasResults`: false for a kernel whose
  /// memory the host reads for other purposes than the program's results.
  template <class Find>
  void launched(const std::string &kernel, const std::vector<ArgumentBytes> &arguments, const Find &find,
                bool hasResults = true) {
    std::lock_guard<std::mutex> lock(guard);
    ++launches;
    launchedSinceWait = true;
    for (size_t i = 0; i < arguments.size(); ++i)
      for (size_t at = 0; at + sizeof(uint64_t) <= arguments[i].bytes; at += sizeof(uint64_t)) {
        uint64_t word = 0;
        std::memcpy(&word, static_cast<const char *>(arguments[i].data) + at, sizeof word);
        if (const std::optional<Piece> piece = find(word)) {
          uses[piece->id] = {kernel, launches, int32_t(i)};
          if (piece->hostReads && hasResults)
            touched.insert(piece->id);
        }
      }
  }

  /// The number of a copy, given at the time of the call: copies of several streams are recorded in any order.
  uint64_t nextSequence() {
    std::lock_guard<std::mutex> lock(guard);
    return ++copies;
  }

  /// A copy is done. Its bytes are packed, row after row; `from` is the piece that `address` is in.
  void copied(uint64_t sequence, const std::optional<Piece> &from, uint64_t address,
              std::vector<uint8_t> bytes, uint64_t rowBytes) {
    CopyRecord record = recordOf(from ? *from : Piece());
    record.sequence = sequence;
    record.offset = from ? address - from->address : 0;
    record.rowBytes = rowBytes;
    record.bytes = std::move(bytes);
    log.write(record);
  }

  /// `readable()` is a list of the pieces that the host can read. Variables come first, since a kernel needs no argument for them, then
  /// what was passed to kernels since the host last waited, in the order of allocation: addresses differ from run to
  /// run.
  template <class Pieces> void hostHasWaited(const Pieces &readable) {
    std::vector<Piece> pieces;
    std::map<std::pair<bool, uint64_t>, std::vector<const Piece *>> ordered;
    {
      std::lock_guard<std::mutex> lock(guard);
      if (!std::exchange(launchedSinceWait, false))
        return;
      pieces = readable();
      for (const Piece &piece : pieces)
        if (!piece.name.empty() || touched.count(piece.id))
          ordered[{piece.name.empty(), piece.id}].push_back(&piece);
      touched.clear();
    }
    for (const auto &[order, same] : ordered)
      for (const Piece *piece : same) {
        const auto *data = reinterpret_cast<const uint8_t *>(piece->address);
        copied(nextSequence(), *piece, piece->address, {data, data + piece->bytes}, piece->bytes);
      }
  }

private:
  struct Use {
    std::string kernel;
    uint64_t launch = 0;
    int32_t parameter = -1;
  };

  CopyRecord recordOf(const Piece &piece) {
    std::lock_guard<std::mutex> lock(guard);
    CopyRecord record;
    record.launches = launches;
    record.allocation = piece.id;
    record.allocationBytes = piece.bytes;
    record.kernel = piece.name;
    if (auto use = uses.find(piece.id); piece.id && use != uses.end()) {
      record.kernel = use->second.kernel;
      record.kernelLaunch = use->second.launch;
      record.kernelParameter = use->second.parameter;
    }
    return record;
  }

  CopyLogWriter log;
  std::mutex guard;
  std::map<uint64_t, Use> uses; ///< the newest, by the number of the allocation
  std::set<uint64_t> touched;   ///< what the host can read and kernels were passed since it last waited
  bool launchedSinceWait = false;
  uint64_t launches = 0, copies = 0;
};

/// The rows of a copy, packed.
inline std::vector<uint8_t> packedRows(const void *begin, size_t pitch, size_t widthBytes, size_t height) {
  std::vector<uint8_t> bytes;
  bytes.reserve(widthBytes * height);
  const auto *row = static_cast<const uint8_t *>(begin);
  for (size_t y = 0; y < height; ++y, row += pitch)
    bytes.insert(bytes.end(), row, row + widthBytes);
  return bytes;
}

} // namespace heddle::trace
