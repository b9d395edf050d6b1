// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The part of the CUDA driver API that replay needs, loaded at run time: neither a toolkit nor its headers are needed
// to compile this, and one program works with the driver of a GPU and with the simulator, which has the same functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>

namespace heddle::replay {

namespace cu {

using Result = int;
using Device = int;
using Pointer = unsigned long long;
using MemoryHandle = unsigned long long;
using Context = struct ContextTag *;
using Module = struct ModuleTag *;
using Function = struct FunctionTag *;
using Stream = struct StreamTag *;
using Event = struct EventTag *;
using Array = struct ArrayTag *;

// Structures have the layout of cuda.h.
struct Location {
  int type = 1; ///< a device
  int id = 0;
};
struct MemoryProperties {
  int type = 1; ///< pinned
  int requestedHandleTypes = 0;
  Location location;
  void *windowsAttributes = nullptr;
  unsigned char flags[8] = {};
};
struct MemoryAccess {
  Location location;
  int flags = 3; ///< read and write
};
struct LaunchAttribute {
  int id = 0;
  int padding = 0;
  union {
    char bytes[64];
    int cooperative;
    struct {
      unsigned x, y, z;
    } cluster;
  } value = {};
};
struct LaunchConfig {
  unsigned gridX = 1, gridY = 1, gridZ = 1, blockX = 1, blockY = 1, blockZ = 1, sharedBytes = 0;
  Stream stream = nullptr;
  LaunchAttribute *attributes = nullptr;
  unsigned attributeCount = 0;
};

struct ArrayDescriptor {
  size_t width = 0, height = 0, depth = 0;
  int format = 0;
  unsigned channels = 0, flags = 0;
};
/// One side of a copy: an array, or rows in device memory.
struct CopySide {
  size_t xBytes = 0, y = 0, z = 0, level = 0;
  int memoryType = 2;
  const void *host = nullptr;
  Pointer device = 0;
  Array array = nullptr;
  void *reserved = nullptr;
  size_t pitch = 0, height = 0;
};
struct Copy3D {
  CopySide from, to;
  size_t widthBytes = 0, height = 0, depth = 0;
};
struct Resource {
  int type = 0;
  union {
    Array array;
    struct {
      Pointer address;
      int format;
      unsigned channels;
      size_t bytes;
    } linear;
    struct {
      Pointer address;
      int format;
      unsigned channels;
      size_t width, height, pitch;
    } pitch;
    int reserved[32];
  } memory = {};
  unsigned flags = 0;
};
struct Texture {
  int addressModes[3] = {};
  int filter = 0;
  unsigned flags = 0, anisotropy = 0;
  int levelFilter = 0;
  float levelBias = 0, leastLevel = 0, greatestLevel = 0;
  float border[4] = {};
  int reserved[12] = {};
};
constexpr int MemoryTypeDevice = 2, MemoryTypeArray = 3;
constexpr int ResourceArray = 0, ResourceLinear = 2, ResourcePitch = 3;
constexpr unsigned TextureReadsIntegers = 1, TextureIsNormalized = 2, TextureIsSrgb = 16;

constexpr Result Success = 0, ErrorInvalidValue = 1, ErrorOutOfMemory = 2, ErrorNoBinary = 209,
                 ErrorInvalidPtx = 218, ErrorInvalidImage = 200, ErrorUnsupportedPtx = 222,
                 ErrorNotFound = 500, ErrorOutOfResources = 701;

enum DeviceAttribute {
  MaxSharedPerBlock = 8,
  L2Bytes = 38,
  MaxThreadsPerSm = 39,
  CapabilityMajor = 75,
  CapabilityMinor = 76,
  VirtualMemory = 102,
};
enum FunctionAttribute {
  FunctionMaxThreads = 0,
  FunctionSharedBytes = 1,
  FunctionLocalBytes = 3,
  FunctionRegisters = 4,
  FunctionMaxDynamicShared = 8,
  FunctionNonPortableCluster = 14,
};
constexpr int AttributeCooperative = 2, AttributeCluster = 4;
constexpr unsigned HostPortable = 1, HostMapped = 2;
constexpr int JitErrorLog = 5, JitErrorLogBytes = 6;

} // namespace cu

/// A call of the driver that failed.
class CudaError : public std::runtime_error {
public:
  CudaError(cu::Result code, const std::string &text) : std::runtime_error(text), code(code) {}
  const cu::Result code;
};

/// Everything else that stops a replay, in words for a person.
class ReplayError : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

class Driver {
  using Result = cu::Result;
  using Device = cu::Device;
  using Pointer = cu::Pointer;
  using MemoryHandle = cu::MemoryHandle;
  using Context = cu::Context;
  using Module = cu::Module;
  using Function = cu::Function;
  using Stream = cu::Stream;
  using Event = cu::Event;
  using MemoryProperties = cu::MemoryProperties;
  using MemoryAccess = cu::MemoryAccess;
  using LaunchConfig = cu::LaunchConfig;
  using Array = cu::Array;
  using ArrayDescriptor = cu::ArrayDescriptor;
  using Copy3D = cu::Copy3D;
  using Resource = cu::Resource;
  using Texture = cu::Texture;

public:
  /// Loads the library (empty: the system's libcuda.so.1), makes device 0 current. Throws.
  explicit Driver(const std::string &library);
  Driver(const Driver &) = delete;
  Driver &operator=(const Driver &) = delete;

#define HEDDLE_CU(member, name, parameters) Result(*member) parameters = nullptr;
#define HEDDLE_CU_MAYBE(member, name, parameters) Result(*member) parameters = nullptr;
#include "replay/Functions.def"
#undef HEDDLE_CU
#undef HEDDLE_CU_MAYBE

  /// Throws CudaError: "what: CUDA_ERROR_X (text)".
  void check(Result result, const std::string &what) const;
  std::string describe(Result result) const;
  int attribute(cu::DeviceAttribute attribute) const;

  static Pointer pointerTo(const void *host) { return reinterpret_cast<uintptr_t>(host); }

  bool isSimulator() const { return warpInstructions != nullptr; }
  /// Whether launches are measured by time, or by instructions as on the simulator, where time is that of the host.
  bool measuresTime() const { return !isSimulator() || isTimed; }
  void measureTime() { isTimed = true; }
  /// On the simulator: instructions of warps that were executed so far.
  uint64_t instructionsSoFar() const { return warpInstructions ? warpInstructions() : 0; }
  /// On the simulator: writes what the launches since the last call needed of a device. Throws where they are not counted.
  void writeCounters(const std::string &file) const;
  const std::string &deviceName() const { return name; }
  /// "sm_90".
  const std::string &arch() const { return architecture; }

private:
  unsigned long long (*warpInstructions)() = nullptr;
  bool (*countersWriter)(const char *) = nullptr;
  bool isTimed = false;
  Device device = 0;
  std::string name, architecture;
};

} // namespace heddle::replay
