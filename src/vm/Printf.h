// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace heddle::vm {

/// Where a device-side printf finds its arguments: packed as by C's default promotions, each at a multiple of
/// its size. Both return false if the address is invalid.
struct PrintfArguments {
  std::function<bool(uint64_t offset, void *to, unsigned bytes)> read;
  std::function<bool(uint64_t address, std::string &text)> readString;
};

/// Formats as C does. False when an argument could not be read. `count` receives the number of arguments.
bool formatDevice(std::string_view format, const PrintfArguments &arguments, std::string &out, int &count);

} // namespace heddle::vm
