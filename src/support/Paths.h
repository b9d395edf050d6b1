// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <filesystem>
#include <string_view>

namespace heddle {

/// A folder of Heddle's own data: "arch", "runtime/cuda", "runtime/heddle"...
///
/// Looked for, in this order: under $HEDDLE_DATA; in ../share/heddle beside an installed program; in the
/// source tree that this program was built from. Empty where it is in none of them.
std::filesystem::path dataFolder(std::string_view name);

/// A new empty folder under the system's temporary one, removed with all it holds when this object dies.
class TemporaryFolder {
public:
  static constexpr std::string_view prefix = "heddle-"; ///< of its name
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder &) = delete;
  TemporaryFolder &operator=(const TemporaryFolder &) = delete;
  const std::filesystem::path &path() const { return folder; }

private:
  std::filesystem::path folder;
};

} // namespace heddle
