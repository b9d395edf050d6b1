// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// 1. Roots are the parameters, all variables and what textures read: their bytes are scanned for addresses.
// 2. Each allocation that is reached is copied to the host in parts; each part is scanned and written. So every byte
//    crosses the bus once, and memory of any size needs one buffer.
// 3. Arrays, which have no addresses, are copied as a whole.
// 4. After the launch the same objects are copied and written again. Chunks that did not change are known to the store.
//
// A variable may point to memory of its module that has no name, as `__device__ const char *greeting = "hello"` does. Such
// memory is neither copied nor restored: a replay's module has its own, and the pointer to it that the module was loaded with.
#include "capture/preload/MemorySaver.h"

#include "trace/preload/Real.h"

#include <algorithm>
#include <cstring>

namespace heddle::capture {
namespace {

/// Many chunks at a time: hashing and compressing runs on all cores.
constexpr uint64_t kPartBytes = 64 * kChunkBytes;
/// In a struct that is passed by value, pointers may be packed.
constexpr size_t kParameterStep = 4, kMemoryStep = 8;
/// A module is one allocation of the driver. What is further from a variable than any module is large does not point into its module.
constexpr uint64_t kLargestModule = uint64_t(1) << 28;

std::vector<Range> rangesOf(const LiveMemory &memory) {
  std::vector<Range> ranges;
  for (const Region &region : memory.regions)
    ranges.push_back({region.address, region.bytes});
  for (const LiveMemory::LiveVariable &live : memory.variables)
    ranges.push_back({live.address, live.variable.bytes});
  for (const LiveMemory::Foreign &foreign : memory.foreign)
    ranges.push_back(foreign.range);
  return ranges;
}

/// Whether the driver has device memory at an address that is near another one.
bool isDeviceMemoryNear(uint64_t address, uint64_t near) {
  if (address - near + kLargestModule > 2 * kLargestModule)
    return false;
  cudaPointerAttributes attributes = {};
  if (REAL(cudaPointerGetAttributes)(&attributes, reinterpret_cast<const void *>(address)) != cudaSuccess) {
    REAL(cudaGetLastError)();
    return false;
  }
  return attributes.type == cudaMemoryTypeDevice;
}

} // namespace

MemorySaver::MemorySaver(const std::filesystem::path &folder, LiveMemory live, LiveTextures objects)
    : memory(std::move(live)), textures(std::move(objects)), ranges(rangesOf(memory)), search(ranges),
      writer(folder), stored(memory.regions.size() + memory.variables.size()),
      storedArrays(textures.arrays.size()) {}

template <class Use> bool MemorySaver::forEachPart(size_t range, const Use &use) {
  const auto [address, bytes] = ranges[range];
  staging.resize(size_t(std::max<uint64_t>(staging.size(), std::min(bytes, kPartBytes))));
  for (uint64_t done = 0; done < bytes; done += kPartBytes) {
    const uint64_t part = std::min(bytes - done, kPartBytes);
    const auto *from = reinterpret_cast<const void *>(address + done);
    const cudaError_t error = REAL(cudaMemcpy)(staging.data(), from, size_t(part), cudaMemcpyDefault);
    if (error != cudaSuccess) {
      whyNot = std::string("memory of the program cannot be read: ") + REAL(cudaGetErrorString)(error);
      return false;
    }
    use(staging.data(), part);
    if (!writer.error().empty())
      whyNot = writer.error();
  }
  return whyNot.empty();
}

void MemorySaver::findModulePointers(size_t range, uint64_t offset, const unsigned char *data, uint64_t bytes,
                                     std::vector<ModulePointer> &found) const {
  for (uint64_t at = 0; at + sizeof(uint64_t) <= bytes; at += kMemoryStep) {
    uint64_t value = 0;
    std::memcpy(&value, data + at, sizeof value);
    if (isDeviceMemoryNear(value, ranges[range].address) && !search.isInARange(value))
      found.push_back({range, offset + at, value});
  }
}

bool MemorySaver::save(size_t range, std::vector<uint64_t> &chunks,
                       std::vector<ModulePointer> &modulePointers) {
  uint64_t done = 0;
  return forEachPart(range, [&](const unsigned char *data, uint64_t bytes) {
    search.scan(data, size_t(bytes), kMemoryStep);
    if (range >= memory.regions.size())
      findModulePointers(range, done, data, bytes, modulePointers);
    done += bytes;
    const std::vector<uint64_t> numbers = writer.add(data, bytes);
    chunks.insert(chunks.end(), numbers.begin(), numbers.end());
  });
}

/// Parameters are scanned as one block: a pointer may lie across what the compiler calls two parameters only where it
/// is part of a struct, which is one.
void MemorySaver::scanParameters(const std::vector<Parameter> &parameters) {
  for (const Parameter &parameter : parameters)
    search.scan(parameter.bytes.data(), parameter.bytes.size(), kParameterStep);
}

void MemorySaver::scanTextures() {
  for (const TextureObject &object : textures.objects)
    if (object.memory != TextureObject::Memory::Array)
      search.scan(&object.address, sizeof object.address, sizeof object.address);
}

bool MemorySaver::saveArray(size_t number, std::vector<uint64_t> &chunks) {
  const Array &array = textures.arrays[number];
  staging.resize(size_t(std::max<uint64_t>(staging.size(), array.bytes())));
  cudaMemcpy3DParms copy = {};
  copy.srcArray = textures.handles[number];
  copy.dstPtr.ptr = staging.data();
  copy.dstPtr.pitch = copy.dstPtr.xsize = size_t(array.rowBytes());
  copy.dstPtr.ysize = size_t(array.rows());
  copy.extent.width = size_t(array.width);
  copy.extent.height = size_t(array.rows());
  copy.extent.depth = size_t(array.slices());
  copy.kind = cudaMemcpyDeviceToHost;
  if (const cudaError_t error = REAL(cudaMemcpy3D)(&copy); error != cudaSuccess) {
    whyNot = std::string("an array of the program cannot be read: ") + REAL(cudaGetErrorString)(error);
    return false;
  }
  chunks = writer.add(staging.data(), array.bytes());
  whyNot = writer.error();
  return whyNot.empty();
}

bool MemorySaver::isForeignReached() {
  const size_t first = variableRange(memory.variables.size());
  for (size_t i = 0; i < memory.foreign.size(); ++i)
    if (search.isReached(first + i)) {
      whyNot = "it can reach " + memory.foreign[i].what;
      return true;
    }
  return false;
}

bool MemorySaver::saveBefore(const std::vector<Parameter> &parameters, bool allMemory) {
  for (size_t i = 0; i < memory.variables.size(); ++i) {
    const size_t range = variableRange(i);
    if (!save(range, stored[range].before, modulePointersBefore))
      return false;
    saved.push_back(range);
  }
  for (size_t i = 0; i < storedArrays.size(); ++i)
    if (!saveArray(i, storedArrays[i].before))
      return false;
  scanParameters(parameters);
  scanTextures();
  for (size_t i = 0; allMemory && i < memory.regions.size(); ++i)
    search.reach(i);
  while (const std::optional<size_t> range = search.next()) {
    if (*range >= memory.regions.size()) // variables are saved already; foreign memory is looked at below
      continue;
    if (!save(*range, stored[*range].before, modulePointersBefore))
      return false;
    saved.push_back(*range);
  }
  return !isForeignReached();
}

/// The search goes on: a launch may leave pointers into variables that nothing pointed into before.
bool MemorySaver::saveAfter() {
  std::vector<ModulePointer> modulePointers;
  for (size_t range : saved)
    if (!save(range, stored[range].after, modulePointers))
      return false;
  if (!(modulePointers == modulePointersBefore)) {
    whyNot = "it changes a pointer to memory of its module that is no variable, such as a string literal";
    return false;
  }
  for (size_t i = 0; i < storedArrays.size(); ++i)
    if (!saveArray(i, storedArrays[i].after))
      return false;
  return true;
}

bool MemorySaver::finish(Manifest &manifest) {
  std::vector<StoredObject> objects;
  std::sort(saved.begin(), saved.end());
  for (size_t range : saved) {
    objects.push_back(std::move(stored[range]));
    if (range < memory.regions.size()) {
      manifest.regions.push_back(memory.regions[range]);
      continue;
    }
    const LiveMemory::LiveVariable &live = memory.variables[range - memory.regions.size()];
    manifest.variables.push_back(live.variable);
    manifest.variables.back().address = live.address;
    if (search.isReached(range))
      manifest.pointsIntoVariables.push_back(live.variable.name);
  }
  for (const ModulePointer &pointer : modulePointersBefore)
    manifest.modulePointers.push_back(
        {memory.variables[pointer.range - memory.regions.size()].variable.name, pointer.offset});
  objects.insert(objects.end(), storedArrays.begin(), storedArrays.end());
  manifest.arrays = textures.arrays;
  if (!writer.finish(objects))
    whyNot = writer.error();
  return whyNot.empty();
}

} // namespace heddle::capture
