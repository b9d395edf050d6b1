// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "capture/Manifest.h"
#include "capture/preload/DeviceTurn.h"
#include "capture/preload/FixedMemory.h"
#include "capture/preload/MemorySaver.h"
#include "capture/preload/Result.h"
#include "capture/preload/Settings.h"
#include "trace/preload/Recorder.h"

#include <map>

namespace heddle::capture {

/// Captures a launch of the program (Settings): gives the program memory at addresses of its own choice, and saves what
/// the launch sees and leaves behind.
class CaptureRecorder : public trace::Recorder {
public:
  static CaptureRecorder &instance();

  bool isOn() const override;
  cudaError_t launch(const trace::Launch &launch) override;
  void graphLaunched() override;
  cudaError_t allocate(const MemoryRequest &request, const Call &call) override;
  cudaError_t free(void *pointer, const Call &call) override;
  cudaError_t freeAsync(void *pointer, cudaStream_t stream, const Call &call) override;
  void hostRegistered(void *pointer, size_t bytes) override;
  void hostUnregistered(void *pointer) override;
  void objectCreated(unsigned long long object, trace::ObjectKind kind) override;
  void objectDestroyed(unsigned long long object, trace::ObjectKind kind) override;
  void copiedToHost(const trace::Rows &) override {}
  void ending() override { finish(); }

  /// Memory of this library's own: calls that do not work on it are answered here.
  bool owns(const void *pointer) const;
  /// The program is at its end: writes the result. Once.
  void finish();

private:
  CaptureRecorder();
  cudaError_t make(const trace::Launch &launch);
  cudaError_t capture(const std::string &kernel, const trace::Launch &launch, const std::string &folder);
  cudaError_t launchRefused(const trace::Launch &launch, const std::string &why);
  Manifest manifestOf(const std::string &kernel, const trace::Launch &launch) const;
  LiveMemory liveMemory() const;
  void report() const;
  void takeTurn();
  bool restWherePossible();

  const Settings settings;
  int process = 0;
  bool finished = false, isRegisteredAtExit = false;
  uint64_t meant = 0; ///< launches until now
  FixedMemory fixed;
  std::map<uint64_t, uint64_t> registered; ///< bytes of the program's host memory, by address
  TextureList textures;
  Survey survey;
  Result result;
  DeviceTurn turn;
  bool isWatched = false; ///< by a thread that notices when the program is at rest
};

} // namespace heddle::capture
