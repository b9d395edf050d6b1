// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "capture/Manifest.h"
#include "capture/StoreWriter.h"
#include "capture/preload/Reachable.h"
#include "capture/preload/TextureReader.h"

namespace heddle::capture {

/// What is in the program's memory when the launch is made.
struct LiveMemory {
  struct LiveVariable {
    Variable variable;
    uint64_t address = 0; ///< on the device
  };
  /// Memory that cannot be restored at its address. A launch that reaches it cannot be captured.
  struct Foreign {
    Range range;
    std::string what;
  };
  std::vector<Region> regions;
  std::vector<LiveVariable> variables;
  std::vector<Foreign> foreign;
};

/// Writes what a launch can reach, before it and after it, into a store.
class MemorySaver {
public:
  MemorySaver(const std::filesystem::path &folder, LiveMemory memory, LiveTextures textures);

  /// Both: false with error() where something cannot be read, written or restored.
  bool saveBefore(const std::vector<Parameter> &parameters, bool allMemory);
  bool saveAfter();
  /// Completes the store, and the manifest's regions, variables and arrays.
  bool finish(Manifest &manifest);

  const std::string &error() const { return whyNot; }

private:
  size_t variableRange(size_t variable) const { return memory.regions.size() + variable; }
  void scanParameters(const std::vector<Parameter> &parameters);
  void scanTextures();
  /// Reads a range in parts. Empty where something failed.
  template <class Use> bool forEachPart(size_t range, const Use &use);
  /// A value in a variable that points to memory of its module that is no variable.
  struct ModulePointer {
    size_t range;
    uint64_t offset, value;
    bool operator==(const ModulePointer &other) const {
      return range == other.range && offset == other.offset && value == other.value;
    }
  };
  bool save(size_t range, std::vector<uint64_t> &chunks, std::vector<ModulePointer> &modulePointers);
  void findModulePointers(size_t range, uint64_t offset, const unsigned char *data, uint64_t bytes,
                          std::vector<ModulePointer> &found) const;
  bool saveArray(size_t array, std::vector<uint64_t> &chunks);
  bool isForeignReached();

  LiveMemory memory;
  LiveTextures textures;
  std::vector<Range> ranges; ///< regions, variables, foreign memory
  Reachable search;
  StoreWriter writer;
  std::vector<StoredObject> stored; ///< of regions and variables
  std::vector<StoredObject> storedArrays;
  std::vector<size_t> saved; ///< numbers of ranges
  std::vector<ModulePointer> modulePointersBefore;
  std::vector<unsigned char> staging;
  std::string whyNot;
};

} // namespace heddle::capture
