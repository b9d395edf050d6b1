// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace heddle {

/// What processes make and keep for each other, by name, in one folder of limited size.
///
/// They share the folder without locks: a file is written under another name and renamed. It begins with a hash of the rest; one that
/// was damaged, or that is none of ours, is as good as none, and is replaced. Those that were not used for the longest time are
/// removed where all together are larger than the limit.
class KeptFiles {
public:
  /// Text without line ends, the same for the same bytes.
  using Hash = std::string (*)(std::string_view bytes);
  /// A limit that suits files which are small and take long to make.
  static constexpr uintmax_t usualBytes = uintmax_t(1) << 28;

  KeptFiles(std::filesystem::path folder, Hash hash, uintmax_t mostBytes = usualBytes)
      : folder(std::move(folder)), hash(hash), mostBytes(mostBytes) {}
  /// In the folder that the environment variable names, else in heddle/NAME of the user's cache folder. None where the variable is
  /// "off", or where nothing can be written.
  static std::optional<KeptFiles> ofUser(const char *variable, std::string_view name, Hash hash);

  /// Counts as a use.
  std::optional<std::string> find(const std::string &name) const;
  /// Does nothing where that fails: a full disk must not stop anybody.
  void keep(const std::string &name, std::string_view content) const;

private:
  void removeUnused() const;

  std::filesystem::path folder;
  Hash hash;
  uintmax_t mostBytes;
};

} // namespace heddle
