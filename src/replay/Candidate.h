// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "capture/Manifest.h"
#include "replay/Driver.h"
#include "replay/Protocol.h"
#include "replay/State.h"

#include <vector>

namespace heddle::replay {

/// A module that was compiled from a variant of the kernel, and its launch. The constructor throws where the module
/// cannot be loaded, has no such kernel, or cannot be launched with what the capture has.
class Candidate {
public:
  Candidate(Driver &driver, const Request &request, const capture::Manifest &manifest,
            const TextureObjects &textures);
  ~Candidate();
  Candidate(const Candidate &) = delete;
  Candidate &operator=(const Candidate &) = delete;

  const ModuleVariables &variables() const { return moduleVariables; }
  /// Queues one launch. Throws where the driver refuses it.
  void launch(cu::Stream stream);

  struct Needs {
    int registers = 0, localBytes = 0, sharedBytes = 0;
    double occupancy = 0; ///< percent
  };
  Needs needs() const;

private:
  void load();
  void findKernel();
  void findVariables(const capture::Manifest &manifest);
  void readModulePointers(const capture::Manifest &manifest);
  void takeParameters(const capture::Manifest &manifest);
  void allowShared();
  std::string kernelNames() const;
  std::string shape() const;

  Driver &driver;
  const Request request;
  std::string image; ///< of the module
  cu::Module module = nullptr;
  cu::Function function = nullptr;
  ModuleVariables moduleVariables;
  std::vector<uint8_t> parameters;
};

} // namespace heddle::replay
