// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// In place of OpenClEngine.cpp where OpenCL's headers or loader are missing.
#include "Engine.h"

namespace heddle::bench {

std::unique_ptr<Engine> openClEngine(const Case &, const std::string &, std::string &whyNot) {
  whyNot = "built without OpenCL (Debian: ocl-icd-opencl-dev, opencl-headers)";
  return nullptr;
}

void limitOpenCl(unsigned) {}

} // namespace heddle::bench
