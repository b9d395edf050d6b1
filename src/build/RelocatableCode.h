// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <filesystem>
#include <string>
#include <vector>

/// Programs whose device code is linked across files (nvcc -rdc=true, -dc; Clang -fgpu-rdc).
///
/// The object of such a file calls, before main, __cudaRegisterLinkedBinary_<file>, which nvcc's device linker would
/// define together with the linked machine code. Here a small source file defines these functions, and the runtime
/// library links the PTX of all files when the program first uses it (ptx/Link.h).
namespace heddle::build {

bool linksDeviceCode(const std::vector<std::string> &flags);
std::vector<std::string> withoutDeviceLinking(const std::vector<std::string> &flags);

/// C source of the functions that the objects expect of a device linker.
std::string registrationSource(const std::vector<std::filesystem::path> &objects);

} // namespace heddle::build
