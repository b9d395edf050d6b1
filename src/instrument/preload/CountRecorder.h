// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "instrument/CountFile.h"
#include "instrument/Header.h"
#include "instrument/preload/Images.h"
#include "trace/preload/Recorder.h"

#include <map>
#include <unordered_map>

namespace heddle::instrument {

/// Gives the program its device code with counters (Images), and reads the counters after each launch.
class CountRecorder : public trace::Recorder {
public:
  static CountRecorder &instance();

  bool isOn() const override { return false; } // nothing of copies is wanted
  cudaError_t launch(const trace::Launch &launch) override;
  void named(const void *function, std::string name) override;
  void namedAgain(const void *kernel, const void *function) override;
  void copiedToHost(const trace::Rows &) override {}
  void ending() override;

  /// The program is at its end.
  void finish();
  /// The program's device code is registered; functions that are named from now on are of this module.
  void opened(void **handle, Module *module);

private:
  CountRecorder();
  bool isCounting() const;
  cudaError_t count(const std::string &kernel, const trace::Launch &launch, Module &module);
  void refused(const std::string &kernel, cudaError_t error);
  void stopped(const std::string &kernel, cudaError_t error);
  bool failed(const char *what, cudaError_t error);
  bool prepare(const CountedLaunch &counted, const KernelRows &rows, const Module &module);
  bool makeRoom(size_t bytes);
  bool setHeader(const Module &module, const Header &header);
  bool read(CountedLaunch &counted, const KernelRows &rows);
  void skipped(uint64_t &launches);
  void report();

  Module *current = nullptr;
  std::unordered_map<const void *, Module *> modules; ///< by host function
  std::map<std::string, unsigned> launches;           ///< of each kernel until now
  uint64_t number = 0;                                ///< of all kernels
  void *buffer = nullptr;
  size_t bufferBytes = 0;
  Layout layout; ///< of the launch
  CountingResult result;
  int process = 0;
  bool isRegisteredAtExit = false;
};

} // namespace heddle::instrument
