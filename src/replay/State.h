// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "capture/CaptureFolder.h"
#include "replay/Arrays.h"
#include "replay/Compare.h"
#include "replay/Pages.h"
#include "replay/Protocol.h"
#include "replay/Relocations.h"
#include "replay/TextureObjects.h"

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace heddle::replay {

/// The variables of the capture in the module of a candidate.
struct ModuleVariables {
  std::vector<cu::Pointer> addresses; ///< 0: the module has none of that name
  std::vector<uint64_t>
      modulePointers; ///< those of the manifest, as this module initializes them; 0: no such variable
};

/// The memory that the launch sees, and copies of its contents before and after the captured launch. The copies are in
/// device memory as long as there is enough, else in host memory.
class State {
public:
  /// Reads the capture and puts its memory in place. Copies take at most `mostCopyBytes` of device memory. Throws.
  State(Driver &driver, const capture::CaptureFolder &folder, cu::Stream stream, uint64_t mostCopyBytes);
  ~State();
  State(const State &) = delete;
  State &operator=(const State &) = delete;

  /// Everything as before the captured launch, with the variables of a module. Only what changed since the last time
  /// is copied, if that is known.
  void prepare(const ModuleVariables &variables);
  /// After a launch: what is not as after the captured launch. Remembers what the launch changed.
  void compare(std::vector<Difference> &differing, std::vector<OutsideWrite> &outside);
  /// Queues the copies that undo what the compared launch changed.
  void undo();
  /// Nothing is known about the contents any more (a launch failed).
  void forget() { isKnown = false; }
  /// After launches that were not compared: finds out what they changed, so that `prepare` need not copy everything.
  void findChanges();

  /// Bytes of an object as they are now.
  std::vector<uint8_t> read(size_t object, uint64_t offset, uint64_t bytes);
  uint64_t bytes() const { return totalBytes; }
  const TextureObjects &textures() const { return *textureObjects; }

private:
  /// Contents of a piece of an object.
  struct Image {
    cu::Pointer device = 0;
    uint8_t *host = nullptr;
  };
  static Image part(Image image, uint64_t offset) {
    return image.host ? Image{0, image.host + offset} : Image{image.device + offset, nullptr};
  }
  /// A pointer into a module, in images: it has another value for each module.
  struct Relocation {
    size_t chunk = 0;
    Image place;
    bool isModulePointer = false; ///< of the manifest; else a pointer into a variable
    size_t number = 0;            ///< of the module pointer or the variable
    uint64_t delta = 0;           ///< from the beginning of the variable
    uint64_t value = 0;           ///< what the image has now; 0: that of the captured program
  };
  struct Chunk {
    size_t object = 0;
    uint64_t offset = 0, bytes = 0;
    cu::Pointer live = 0;   ///< 0: a variable that the module does not have
    Image before, after;    ///< the same where the captured launch changed nothing
    bool isChanged = false; ///< by the last launch
    bool isConstant = false;
    Difference unchanged; ///< of a variable that the captured launch changed, if nobody changes it
    bool sharesImage() const { return before.device == after.device && before.host == after.host; }
  };
  struct Expectation {
    size_t chunk;
    Image image;
  };

  void load(size_t object);
  cu::Pointer liveAddress(size_t object) const;
  size_t arrayOf(size_t object) const { return object - firstArray; }
  void writeArrays(bool onlyChanged);
  void readArrays();
  Image store(const std::vector<uint64_t> &numbers, const std::string &what,
              std::vector<PointerIntoVariable> &pointers);
  void addRelocations(const std::vector<PointerIntoVariable> &pointers, Image image, uint64_t begin,
                      size_t chunk, uint64_t bytes);
  void addModulePointers(size_t chunk);
  Difference differenceOf(uint64_t before, uint64_t after, uint64_t bytes) const;
  void relocate(const ModuleVariables &variables);
  void copy(const Chunk &chunk);
  std::vector<Comparer::Result> compareWith(const std::vector<Expectation> &expectations);
  std::vector<Comparer::Result> compareGaps();
  void undoGaps(const std::vector<Comparer::Result> &results);

  Driver &driver;
  const capture::CaptureFolder &folder;
  cu::Stream stream;
  Comparer comparer;
  Pages pages;
  Arrays arrays;
  const size_t firstArray; ///< its object
  std::unique_ptr<TextureObjects> textureObjects;
  VariableSearch variableSearch;
  std::vector<Relocation> relocations;
  std::vector<Chunk> chunks;       ///< those of an object follow each other
  std::vector<size_t> firstChunks; ///< of each object, and the number of all
  std::vector<Span> gaps;          ///< in pages, between regions
  cu::Pointer zeros = 0;           ///< as many as the longest gap
  cu::Pointer staging = 0;         ///< for images that are in host memory
  std::vector<cu::Pointer> deviceCopies;
  std::vector<std::unique_ptr<uint8_t[]>> hostCopies;
  uint64_t totalBytes = 0, copyBytesLeft;
  bool isKnown = false; ///< isChanged is right
};

} // namespace heddle::replay
