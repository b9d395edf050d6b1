// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "replay/Candidate.h"
#include "replay/State.h"
#include "replay/Timer.h"

#include <memory>
#include <string>

namespace heddle::replay {

/// A capture that is in place on the device, for any number of candidates.
class Session {
public:
  /// Throws ReplayError or CudaError where the capture is damaged or cannot be put in place.
  Session(const std::string &folder, const std::string &driverLibrary, uint64_t mostCopyBytes = ~uint64_t(0));
  /// On the simulator too, where it is the host's time.
  void measureTime() { driver.measureTime(); }

  const capture::Manifest &manifest() const { return folder.manifest; }
  const Driver &device() const { return driver; }
  uint64_t bytes() const { return state->bytes(); }
  /// The captured launch, without a module.
  Request capturedLaunch() const;

  /// Never throws: what goes wrong is part of the result.
  Measurement measure(const Request &request);

private:
  void run(const Request &request, Measurement &result);
  void describe(Measurement &result) const;
  void writeDifferences(const std::string &file, Measurement &result);
  void timeRounds(Candidate &candidate, const Request &request, Measurement &result);

  capture::CaptureFolder folder;
  Driver driver;
  cu::Stream stream = nullptr;
  std::unique_ptr<State> state;
  std::unique_ptr<Timer> timer;
};

} // namespace heddle::replay
