// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The library that records on a real GPU (`heddle verify --device gpu`, tests/gpu/record): every device-to-host copy
// of a program, with the kernel whose result it is, in the file that HEDDLE_RECORD or else HEDDLE_LOG names. The
// simulator's runtime reads HEDDLE_LOG alone and writes the same log of the same program. Memory that the host reads
// without a copy (managed, pinned) counts as copied whenever the host waits, as on the simulator.
#include "trace/preload/Recorder.h"

#include <cstdlib>

namespace heddle::trace {
namespace {

class CopyRecording : public Recorder {
public:
  CopyRecording() {
    for (const char *variable : {"HEDDLE_RECORD", "HEDDLE_LOG"})
      if (const char *path = std::getenv(variable); path && *path && !isOn())
        copyLog.open(path);
  }
  bool isOn() const override { return copyLog.isOn(); }

  cudaError_t launch(const Launch &launch) override {
    logLaunch(nameOf(launch.function), launch);
    return launch.make();
  }
  void copiedToHost(const Rows &rows) override { logCopy(rows); }
  void hostHasWaited() override {
    std::lock_guard<std::recursive_mutex> lock(guard);
    if (isOn())
      copyLog.hostHasWaited([this] { return memory.readableByHost(); });
  }
};

} // namespace

Recorder &Recorder::instance() {
  static auto *recorder = new CopyRecording;
  return *recorder;
}

} // namespace heddle::trace
