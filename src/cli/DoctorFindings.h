// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <vector>

namespace heddle::cli {

/// One thing that Heddle can use.
struct Finding {
  std::string section; ///< "CUDA toolkit", "GPU", "compilers", ...
  std::string name;    ///< "nvcc"
  bool found = false;
  std::string version; ///< empty where it has none or it cannot be asked
  std::string where;   ///< a path, or what represents one
  std::string note;    ///< why it was not found, where that is known
  std::string gives;   ///< what it enables
  std::string without; ///< what is lost when it is not there
};

/// Looks around. `cudaPath` is what --cuda-path says: a folder, "none", or empty for "look for one".
std::vector<Finding> findingsOfDoctor(const std::string &cudaPath);

} // namespace heddle::cli
