// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The messages between heddle-replay and the process that drives it: a line for each request, a JSON object on a line for each
// reply.
//
//   measure ID FILE KERNEL gx gy gz bx by bz SHARED ROUNDS WARMUPS FLUSH SECONDS [DIFFERENCES] [name=value ...]
//   quit
//
// ID is any word. Paths and names are percent-encoded: a space, '%' and control characters are %20, %25 and so on.
// DIFFERENCES is a file for the contents of objects that differ. Attributes: cluster=x,y,z cooperative=1
// parameters=HEX (the parameter block, instead of the captured one) counters=FILE (on the simulator).
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace heddle::replay {

using Dim = std::array<uint32_t, 3>;

/// A candidate and how to measure it.
struct Request {
  std::string id, module, kernel;
  Dim grid{1, 1, 1}, block{1, 1, 1}, cluster{1, 1, 1};
  uint32_t sharedBytes = 0;
  bool isCooperative = false;
  unsigned rounds = 10, warmUps = 1;
  /// Fewer rounds are enough where the middle half of the times spans at most this share of their median; 0: all rounds.
  double steady = 0;
  bool flushesL2 = false;
  double seconds = 10;
  std::string differencesFile; ///< empty: not wanted
  std::string countersFile;    ///< for what the launch needs of a device; empty: not wanted
  std::optional<std::vector<uint8_t>> parameters; ///< instead of the captured ones
};

/// An object of the capture (regions, then variables, in the manifest's order) that is not as captured after the launch.
struct Difference {
  size_t object = 0;
  uint64_t bytes = 0; ///< how many differ
  uint64_t first = 0; ///< offset of the first
};

/// Bytes that belong to no captured region, and that the kernel wrote all the same.
struct OutsideWrite {
  uint64_t address = 0, bytes = 0;
};

enum class Status { Same, Differs, Failed };

struct Measurement {
  Status status = Status::Failed;
  std::string text;          ///< what failed or differs, for a person
  bool isLaunched = false;   ///< whether it came so far
  bool isFatal = false;      ///< the device cannot be used any more by this process
  std::vector<double> times; ///< of rounds: microseconds, or instructions of warps on the simulator
  int registers = 0, localBytes = 0, sharedBytes = 0;
  double occupancy = 0; ///< percent
  std::vector<Difference> differing;
  std::vector<OutsideWrite> outside;
  double seconds = 0; ///< for all of it
};

/// The request of a "measure" line; nothing, with what is wrong.
std::optional<Request> parseMeasure(const std::string &line, std::string &error);

std::string percentDecoded(const std::string &text);
std::string percentEncoded(const std::string &text);
std::string jsonQuoted(const std::string &text);
std::string resultLine(const std::string &id, const Measurement &measurement, bool isTime = true);
std::string errorLine(const std::string &text);

} // namespace heddle::replay
