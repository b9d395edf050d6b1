// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "Launch.h"
#include "Memory.h"
#include "Transcript.h"

#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
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
  std::vector<double> own;      ///< what those say
  std::vector<double> replayed; ///< of the first launch, made again

  /// What counts: see Recorder.cpp.
  const std::vector<double> &samples() const { return replayed.empty() ? own : replayed; }
};

/// Everything that is seen of the program.
class Recorder {
public:
  /// Never destroyed: the program's own exit handlers may still call us.
  static Recorder &instance();

  bool isOn() const;
  cudaError_t launch(const Launch &launch);
  /// A graph is about to be launched. What was recorded is taken to be in it: most programs have one graph.
  void graphLaunched();
  /// Rows that came `from` there (null: from nowhere in particular) and lie at `to`.
  void copiedBack(const void *from, const void *to, size_t pitch, size_t widthBytes, size_t height);
  /// False: the program must free it itself.
  bool freed(void *pointer);
  /// The program's `allocate`, with a second try when we have made room.
  template <class Allocate>
  cudaError_t allocated(void **pointer, Kind kind, size_t bytes, Allocate allocate) {
    cudaError_t status = allocate();
    std::lock_guard<std::recursive_mutex> lock(guard);
    if (status == cudaErrorMemoryAllocation && memory.giveBack()) {
      REAL(cudaGetLastError)();
      status = allocate();
    }
    if (status == cudaSuccess && isOn())
      memory.allocated(*pointer, bytes, kind);
    return status;
  }
  void variable(const void *symbol, size_t bytes);
  void managedVariable(void *const *place, size_t bytes);
  void named(const void *function, std::string name);
  std::string nameOf(const void *function);

  /// The program is at its end and the device is still there: makes launches again, writes the report. Once.
  void finish();

private:
  Recorder();
  Configuration &configurationOf(const Launch &launch, bool mayWait);
  void failed(const std::string &what, cudaError_t error);
  void bringBack(const char *place, size_t bytes);
  void replayAll();
  void replay(Configuration &configuration);
  bool timeOnce(Configuration &configuration, double &micros);
  void writeReport(bool replayed) const;
  double secondsLeft() const;

  std::recursive_mutex guard;
  std::string reportFile;
  unsigned rounds = 21, warmUps = 3;
  size_t mostCopies = 0; ///< then the program is at its end, whatever it would do with them; 0: never
  double replaySeconds = 40, replaysBegan = 0;
  int process = 0;
  bool finished = false;

  Memory memory;
  Transcript transcript;
  std::unordered_map<const void *, std::string> names;
  std::deque<Configuration> configurations;
  std::unordered_map<std::string, Configuration *> byShape;
  std::vector<std::pair<size_t, uint64_t>> copies; ///< bytes and their hash
  std::string error;
};

} // namespace heddle::timing
