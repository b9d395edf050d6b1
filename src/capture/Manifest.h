// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// launch.txt: what a captured launch was, one item per line. docs/capture.md describes the lines. C++17 and the standard
// library alone, like all of this folder: it is part of a library that is preloaded into programs, of heddle-replay, and
// is compiled from source in a folder that `heddle capture` wrote.
#pragma once

#include "capture/TextureObject.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace heddle::capture {

struct Dimensions {
  uint32_t x = 1, y = 1, z = 1;
};

/// An argument of the kernel, at its offset in the parameter block.
struct Parameter {
  uint64_t offset = 0;
  std::vector<unsigned char> bytes;
};

enum class RegionKind { Device, Managed, Pinned };

/// An allocation that the launch can reach.
struct Region {
  uint64_t address = 0, bytes = 0;
  RegionKind kind = RegionKind::Device;
};

enum class VariableKind { Device, Constant, Managed };

/// A __device__, __constant__ or __managed__ variable of the program.
struct Variable {
  std::string name; ///< mangled
  uint64_t bytes = 0;
  VariableKind kind = VariableKind::Device;
  uint64_t address = 0; ///< that it had; 0: unknown
};

struct Manifest {
  std::string program; ///< as it was run; information
  std::string device;  ///< "NVIDIA H200", or "simulator"
  std::string arch;    ///< "sm_90"
  std::string kernel;  ///< mangled
  std::string name;    ///< for people
  uint64_t launch = 1; ///< which launch of that kernel, from 1
  std::optional<double> micros;
  Dimensions grid, block, cluster;
  uint64_t sharedBytes = 0; ///< dynamic
  bool cooperative = false;
  std::vector<Parameter> parameters;
  std::vector<Region> regions;
  std::vector<Variable> variables;
  /// Variables that values in regions, variables or parameters point into: they have another address in another module.
  std::vector<std::string> pointsIntoVariables;
  /// Values in variables that point to memory of the module that has no name, such as a string literal. A replay leaves them as the
  /// module initializes them.
  struct ModulePointer {
    std::string variable;
    uint64_t offset = 0;
    bool operator==(const ModulePointer &other) const {
      return variable == other.variable && offset == other.offset;
    }
  };
  std::vector<ModulePointer> modulePointers;
  std::vector<Array> arrays;
  std::vector<TextureObject> textures; ///< and surfaces; in the order of their numbers

  /// Objects of the store are the regions, then the variables, then the arrays.
  size_t objects() const { return regions.size() + variables.size() + arrays.size(); }
  bool isRegion(size_t object) const { return object < regions.size(); }
  bool isVariable(size_t object) const {
    return object >= regions.size() && object < regions.size() + variables.size();
  }
  uint64_t objectBytes(size_t object) const;
  /// "region 0x100000000000 (4096 bytes)", "variable 'table'".
  std::string objectName(size_t object) const;
};

/// The text of launch.txt.
std::string textOf(const Manifest &manifest);
/// Nothing, and why, where the text is none of this version.
std::optional<Manifest> manifestOf(const std::string &text, std::string &error);

const char *textOf(RegionKind kind);
const char *textOf(VariableKind kind);

} // namespace heddle::capture
