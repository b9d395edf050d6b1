// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What runs a case: the simulator, an implementation of OpenCL, or the host's own loops.
#pragma once

#include "Case.h"

#include <memory>
#include <optional>

namespace heddle::bench {

/// One case, ready to run any number of times.
class Engine {
public:
  virtual ~Engine() = default;
  /// Runs once; results are those of a first run.
  virtual void run() = 0;
  /// Sets results to their initial values; not part of the measured time.
  virtual void reset() = 0;
  /// The array of an argument after a run.
  virtual std::vector<uint8_t> read(size_t argument) = 0;
  virtual uint64_t threadInstructions() const { return 0; }
};

/// `folder` has NAME.ptx.
std::unique_ptr<Engine> simulatorEngine(const Case &what, unsigned cores, const std::string &folder);
std::unique_ptr<Engine> nativeEngine(const Case &what, unsigned cores);
/// nullptr with the reason if there is no kernel or no implementation. `folder` has NAME.cl.
std::unique_ptr<Engine> openClEngine(const Case &what, const std::string &folder, std::string &whyNot);
/// Must precede every other use of OpenCL: PoCL reads the number of its threads once.
void limitOpenCl(unsigned cores);

} // namespace heddle::bench
