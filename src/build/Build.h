// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "build/CompileCache.h"
#include "support/Diagnostics.h"

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace heddle::build {

/// Who compiles: NVIDIA's compiler, or Clang with our own CUDA headers.
enum class Compiler { Auto, Nvcc, Clang };
/// Where the program will run: on the simulator, or on a real GPU with the real runtime.
enum class Device { Simulator, Gpu };

/// A CUDA program as files and flags, the way one would give them to a compiler.
struct Sources {
  std::vector<std::filesystem::path> files; ///< .cu, .cpp, .c, and what a linker takes
  std::vector<std::string> flags;           ///< -I, -D, -std=, -O, -l and so on, in order
  /// What a build system compiles single files with, in Clang's words (source::BuildFlags); `flags` come after these and win.
  std::map<std::filesystem::path, std::vector<std::string>> ownFlags;

  /// With what this file is compiled by Clang or nvcc.
  std::vector<std::string> flagsOf(const std::filesystem::path &file, Compiler compiler) const;
  /// Every flag of any of the files: for questions that concern the whole program.
  std::vector<std::string> allFlags() const;
};

/// Takes a command line apart: what looks like a flag (with its value where it has one) and what is a file.
Sources splitArguments(const std::vector<std::string> &arguments);

struct Request {
  Sources sources;
  Compiler compiler = Compiler::Auto;
  Device device = Device::Simulator;
  std::string arch = "sm_90";
  bool keepsPtx = false; ///< for a GPU: the program has PTX for `arch`, uncompressed, and no machine code
  std::filesystem::path output;
  bool colour = false;                         ///< of the compiler's messages
  CompileCache cache = CompileCache::ofUser(); ///< what need not be compiled again
};

struct Result {
  bool ok = false;
  std::string messages; ///< what the compilers said, as they said it
  std::string compiler; ///< "nvcc" or "clang"
};

/// Builds the program. Trouble that is not in the program itself (no compiler, no runtime library, no such
/// file) goes to `diagnostics`.
Result build(const Request &request, Diagnostics &diagnostics);

/// Flags that speak of GPU generations are not the program's business here: the simulator says what it is.
std::vector<std::string> withoutArchFlags(const std::vector<std::string> &flags);

/// Of nvcc's and Clang's `-Werror`: the arguments of a compilation by Clang, and all flags as nvcc understands
/// them. Reading a program for analysis goes on at a warning all the same.
std::vector<std::string> errorsInClangsWords(const std::vector<std::string> &flags);
std::vector<std::string> errorsInNvccsWords(std::vector<std::string> flags);

/// The folder that holds libheddle_cudart.so; empty where it is nowhere.
std::filesystem::path libraryFolder();

} // namespace heddle::build
