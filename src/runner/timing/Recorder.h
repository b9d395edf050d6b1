// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "KeptLaunch.h"
#include "Memory.h"
#include "trace/preload/Recorder.h"

#include <cstdint>
#include <deque>
#include <string>
#include <unordered_map>

namespace heddle::timing {

/// A kernel at one shape of launch, and how long it took.
struct Configuration {
  std::string kernel;
  KeptLaunch first;
  Needs needs;
  Snapshot before; ///< the first launch
  uint64_t launches = 0;
  uint64_t inGraphs = 0;        ///< recorded into a graph rather than launched
  std::deque<EventPair> pairs;  ///< around the program's own launches
  std::vector<double> own;      ///< what those state
  std::vector<double> replayed; ///< of the first launch, made again

  /// What counts: see Recorder.cpp.
  const std::vector<double> &samples() const { return replayed.empty() ? own : replayed; }
};

/// Times the launches of the program, and compares what it copies to the host: by hashes, or byte for byte in a file
/// (HEDDLE_TIMING_LOG), since a hash shows only that bits differ and not by how much.
class Recorder : public trace::Recorder {
public:
  static Recorder &instance();

  bool isOn() const override;
  cudaError_t launch(const Launch &launch) override;
  /// What was recorded is taken to be in the graph: most programs have one.
  void graphLaunched() override;
  /// With a second attempt when room was made.
  cudaError_t allocate(const MemoryRequest &request, const Call &call) override;
  cudaError_t free(void *pointer, const Call &call) override;
  cudaError_t freeAsync(void *pointer, cudaStream_t stream, const Call &call) override;
  void copiedToHost(const trace::Rows &rows) override;
  void ending() override { finish(); }

  /// The program is at its end and the device is still there: makes launches again, writes the report. Once.
  void finish();

private:
  Recorder();
  Configuration &configurationOf(const Launch &launch, bool mayWait);
  void failed(const std::string &what, cudaError_t error);
  bool isFreedLater(void *pointer);
  void copyManaged(const trace::Piece &piece);
  void replayAll();
  void replay(Configuration &configuration);
  bool timeOnce(Configuration &configuration, double &micros);
  void writeReport(bool replayed) const;
  double secondsLeft() const;

  std::string reportFile;
  unsigned rounds = 21, warmUps = 3;
  size_t mostCopies = 0; ///< then the program is at its end, whatever it would do with them; 0: never
  double replaySeconds = 40, replaysBegan = 0;
  int process = 0;
  bool finished = false;

  Memory replayMemory{memory};
  std::deque<Configuration> configurations;
  std::unordered_map<std::string, Configuration *> byShape;
  std::vector<std::pair<size_t, uint64_t>> copies; ///< bytes and their hash
  std::string error;
};

} // namespace heddle::timing
