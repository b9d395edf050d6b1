// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Objects are cut into the chunks of the capture's store. Each has an image of its contents before the captured launch
// and one after it; where the launch changed nothing both are one. A candidate may change any chunk, so a compared
// launch is followed by a comparison with the image before for all chunks: what differs must be copied back, and
// nothing else. Of a capture of 10 GB whose kernel writes 100 MB, a round copies 100 MB.
//
// Pages have room that belongs to no region. It is zero, and is compared with zeros: a kernel that writes behind the end
// of an array is found there, if it stays in the page. Beyond, there is no memory for a long way, and it faults: the
// copies lie where the driver puts its own allocations, far from the captured addresses.
#include "replay/State.h"

#include "capture/Parallel.h"

#include <algorithm>
#include <cstring>
#include <thread>

namespace heddle::replay {
namespace {

using capture::ChunkForm;
using capture::RegionKind;
using capture::VariableKind;

/// What is read and decompressed at a time, on all cores, before it is copied to the device.
constexpr size_t kBatchChunks = 64;
/// Gaps are compared with so many zeros at a time.
constexpr uint64_t kLongestGap = 1 << 20;
/// Device memory that is left for modules, local memory and what the kernel itself allocates.
constexpr uint64_t kSpareBytes = uint64_t(256) << 20;

} // namespace

State::State(Driver &driver, const capture::CaptureFolder &folder, cu::Stream stream, uint64_t mostCopyBytes)
    : driver(driver), folder(folder), stream(stream), comparer(driver, !driver.isSimulator()),
      pages(driver, folder.manifest.regions), arrays(driver, folder.manifest.arrays, stream),
      firstArray(folder.manifest.objects() - folder.manifest.arrays.size()), variableSearch(folder.manifest),
      gaps(gapsIn(pages.device(), folder.manifest.regions, kLongestGap)), copyBytesLeft(mostCopyBytes) {
  driver.check(driver.memAlloc(&zeros, kLongestGap + 16), "memory for comparing");
  driver.check(driver.fillBytes(zeros, 0, kLongestGap + 16, stream), "memory for comparing");
  for (size_t object = 0; object < folder.manifest.objects(); ++object) {
    firstChunks.push_back(chunks.size());
    load(object);
  }
  firstChunks.push_back(chunks.size());
  for (const Span &gap : gaps)
    driver.check(driver.fillBytes(gap.begin, 0, gap.bytes(), stream), "clearing memory");
  textureObjects = std::make_unique<TextureObjects>(driver, folder.manifest, arrays);
}

/// Variables are where the candidate's module has them.
cu::Pointer State::liveAddress(size_t object) const {
  if (folder.manifest.isRegion(object))
    return folder.manifest.regions[object].address;
  return folder.manifest.isVariable(object) ? 0 : arrays.mirrorOf(arrayOf(object));
}

/// What chunks were copied to is in the mirrors of arrays.
void State::writeArrays(bool onlyChanged) {
  for (size_t i = 0; i < arrays.size(); ++i) {
    const size_t object = firstArray + i;
    const auto first = chunks.begin() + long(firstChunks[object]),
               last = chunks.begin() + long(firstChunks[object + 1]);
    if (!onlyChanged || std::any_of(first, last, [](const Chunk &chunk) { return chunk.isChanged; }))
      arrays.copyFromMirror(i);
  }
}

void State::readArrays() {
  for (size_t i = 0; i < arrays.size(); ++i)
    arrays.copyToMirror(i);
}

State::~State() {
  textureObjects.reset();
  driver.memFree(zeros);
  if (staging)
    driver.memFree(staging);
  for (cu::Pointer copy : deviceCopies)
    driver.memFree(copy);
}

/// Reads chunks of the store, one after the other.
State::Image State::store(const std::vector<uint64_t> &numbers, const std::string &what,
                          std::vector<PointerIntoVariable> &pointers) {
  const capture::StoreIndex &index = folder.store.index();
  uint64_t bytes = 0;
  for (uint64_t number : numbers)
    bytes += index.chunks[number].bytes;
  if (bytes == 0)
    return {};
  size_t free = 0, total = 0;
  driver.check(driver.memGetInfo(&free, &total), "free memory");
  Image image;
  if (bytes <= copyBytesLeft && free > bytes + kSpareBytes &&
      driver.memAlloc(&image.device, bytes) == cu::Success) {
    copyBytesLeft -= bytes;
    deviceCopies.push_back(image.device);
  } else {
    image.device = 0;
    hostCopies.emplace_back(new uint8_t[bytes]);
    image.host = hostCopies.back().get();
  }
  // Not cleared, and no larger than what is read: a capture can have hundreds of small objects.
  const std::unique_ptr<uint8_t[]> batch(
      image.host ? nullptr : new uint8_t[std::min(bytes, kBatchChunks * index.chunkBytes)]);
  const unsigned threads = std::max(1u, std::thread::hardware_concurrency());
  uint64_t at = 0;
  for (size_t first = 0; first < numbers.size(); first += kBatchChunks) {
    const size_t count = std::min(kBatchChunks, numbers.size() - first);
    uint8_t *to = image.host ? hostCopies.back().get() + at : batch.get();
    std::vector<std::string> errors(count);
    uint64_t batchBytes = 0;
    bool isZero = !image.host;
    for (size_t i = 0; i < count; ++i) {
      batchBytes += index.chunks[numbers[first + i]].bytes;
      isZero = isZero && index.chunks[numbers[first + i]].form == ChunkForm::Zero;
    }
    if (isZero) {
      driver.check(driver.fillBytes(image.device + at, 0, batchBytes, stream), what);
      driver.check(driver.streamSynchronize(stream), what);
      at += batchBytes;
      continue;
    }
    std::vector<uint64_t> places(count, 0);
    for (size_t i = 1; i < count; ++i)
      places[i] = places[i - 1] + index.chunks[numbers[first + i - 1]].bytes;
    // Equal chunks are stored once, and read once.
    std::map<uint64_t, size_t> firstOf;
    for (size_t i = 0; i < count; ++i)
      firstOf.emplace(numbers[first + i], i);
    capture::forEachIndex(count, threads, [&](size_t i) {
      if (firstOf.at(numbers[first + i]) != i)
        return;
      if (!folder.store.readChunk(numbers[first + i], to + places[i], errors[i]) && errors[i].empty())
        errors[i] = "it cannot be read";
    });
    for (size_t i = 0; i < count; ++i)
      if (const size_t same = firstOf.at(numbers[first + i]); same != i)
        std::memcpy(to + places[i], to + places[same], index.chunks[numbers[first + i]].bytes);
    for (const std::string &error : errors)
      if (!error.empty())
        throw ReplayError("the capture is damaged: " + what + ": " + error);
    if (variableSearch.isNeeded())
      variableSearch.search(to, batchBytes, 8, at, pointers);
    if (!image.host)
      driver.check(driver.copyToDevice(image.device + at, batch.get(), batchBytes), what);
    at += batchBytes;
  }
  return image;
}

void State::load(size_t object) {
  const capture::Manifest &manifest = folder.manifest;
  const capture::StoreIndex &index = folder.store.index();
  const capture::StoredObject &stored = index.objects[object];
  const std::string what = manifest.objectName(object);
  const bool isVariable = manifest.isVariable(object);
  const cu::Pointer live = liveAddress(object);
  std::vector<PointerIntoVariable> pointersBefore, pointersAfter;
  const Image before = store(stored.before, what, pointersBefore);
  std::vector<uint64_t> changed;
  for (size_t position : folder.store.changedChunks(object))
    changed.push_back(stored.after[position]);
  const Image after = store(changed, what + " after the launch", pointersAfter);
  uint64_t offset = 0, afterOffset = 0;
  for (size_t i = 0; i < stored.before.size(); ++i) {
    Chunk chunk;
    chunk.object = object;
    chunk.offset = offset;
    chunk.bytes = index.chunks[stored.before[i]].bytes;
    chunk.live = live ? live + offset : 0;
    chunk.before = chunk.after = part(before, offset);
    chunk.isConstant =
        isVariable && manifest.variables[object - manifest.regions.size()].kind == VariableKind::Constant;
    addRelocations(pointersBefore, chunk.before, offset, chunks.size(), chunk.bytes);
    if (stored.before[i] != stored.after[i]) {
      chunk.after = part(after, afterOffset);
      if (isVariable)
        chunk.unchanged = differenceOf(stored.before[i], stored.after[i], chunk.bytes);
      addRelocations(pointersAfter, chunk.after, afterOffset, chunks.size(), chunk.bytes);
      afterOffset += chunk.bytes;
    }
    offset += chunk.bytes;
    chunks.push_back(chunk);
    addModulePointers(chunks.size() - 1);
  }
  totalBytes += offset;
}

Difference State::differenceOf(uint64_t before, uint64_t after, uint64_t bytes) const {
  std::vector<uint8_t> a(bytes), b(bytes);
  std::string error;
  if (!folder.store.readChunk(before, a.data(), error) || !folder.store.readChunk(after, b.data(), error))
    throw ReplayError("the capture is damaged: " + error);
  Difference difference;
  for (uint64_t i = bytes; i-- > 0;)
    if (a[i] != b[i])
      ++difference.bytes, difference.first = i;
  return difference;
}

/// Of the pointers that were found in an image, those of one chunk.
void State::addRelocations(const std::vector<PointerIntoVariable> &pointers, Image image, uint64_t begin,
                           size_t chunk, uint64_t bytes) {
  auto at =
      std::lower_bound(pointers.begin(), pointers.end(), begin,
                       [](const PointerIntoVariable &each, uint64_t offset) { return each.offset < offset; });
  for (; at != pointers.end() && at->offset < begin + bytes; ++at) {
    const uint64_t inside = at->offset - begin;
    const Image place = part(image, inside);
    relocations.push_back({chunk, place, false, at->variable, at->delta});
  }
}

/// The captured launch changed none of them, so they are the same in both images.
void State::addModulePointers(size_t number) {
  const Chunk &chunk = chunks[number];
  const capture::Manifest &manifest = folder.manifest;
  if (!manifest.isVariable(chunk.object))
    return;
  const std::string &variable = manifest.variables[chunk.object - manifest.regions.size()].name;
  for (size_t i = 0; i < manifest.modulePointers.size(); ++i) {
    const capture::Manifest::ModulePointer &pointer = manifest.modulePointers[i];
    if (pointer.variable != variable || pointer.offset - chunk.offset >= chunk.bytes)
      continue;
    relocations.push_back({number, part(chunk.before, pointer.offset - chunk.offset), true, i});
    if (!chunk.sharesImage())
      relocations.push_back({number, part(chunk.after, pointer.offset - chunk.offset), true, i});
  }
}

/// Makes pointers into a module point into another one. A variable that the module does not have is used by nobody, or
/// the kernel faults.
void State::relocate(const ModuleVariables &variables) {
  for (Relocation &each : relocations) {
    const uint64_t to =
        each.isModulePointer ? variables.modulePointers[each.number] : variables.addresses[each.number];
    const uint64_t value = to + each.delta;
    if (!to || each.value == value)
      continue;
    each.value = value;
    if (each.place.host)
      std::memcpy(each.place.host, &value, sizeof value);
    else
      driver.check(driver.copyToDevice(each.place.device, &value, sizeof value), "relocating pointers");
    chunks[each.chunk].isChanged = true;
  }
}

void State::copy(const Chunk &chunk) {
  const cu::Result result =
      chunk.before.host ? driver.copyNow(chunk.live, Driver::pointerTo(chunk.before.host), chunk.bytes)
                        : driver.copy(chunk.live, chunk.before.device, chunk.bytes, stream);
  driver.check(result, "restoring " + folder.manifest.objectName(chunk.object));
}

void State::prepare(const ModuleVariables &variables) {
  const capture::Manifest &manifest = folder.manifest;
  relocate(variables);
  if (!isKnown)
    for (const Span &gap : gaps)
      driver.check(driver.fillBytes(gap.begin, 0, gap.bytes(), stream), "clearing memory");
  const bool wasKnown = isKnown;
  for (Chunk &chunk : chunks) {
    const bool isVariable = manifest.isVariable(chunk.object);
    if (isVariable) {
      const cu::Pointer address = variables.addresses[chunk.object - manifest.regions.size()];
      chunk.live = address ? address + chunk.offset : 0;
    }
    // A module that was just loaded has the initial values of its variables.
    if (chunk.live && (isVariable || !isKnown || chunk.isChanged))
      copy(chunk);
  }
  writeArrays(wasKnown);
  for (Chunk &chunk : chunks)
    chunk.isChanged = false;
  isKnown = true;
  driver.check(driver.streamSynchronize(stream), "restoring memory");
}

std::vector<Comparer::Result> State::compareWith(const std::vector<Expectation> &expectations) {
  std::vector<Comparer::Result> results(expectations.size());
  std::vector<Comparer::Pair> pairs;
  std::vector<size_t> places;
  for (size_t i = 0; i < expectations.size(); ++i)
    if (!expectations[i].image.host) {
      pairs.push_back({chunks[expectations[i].chunk].live, expectations[i].image.device,
                       chunks[expectations[i].chunk].bytes});
      places.push_back(i);
    }
  std::vector<Comparer::Result> some = comparer.compare(pairs, stream);
  for (size_t i = 0; i < some.size(); ++i)
    results[places[i]] = some[i];
  // Images in host memory come to the device a few at a time.
  const uint64_t chunkBytes = folder.store.index().chunkBytes;
  for (size_t i = 0; i < expectations.size();) {
    pairs.clear(), places.clear();
    for (; i < expectations.size() && pairs.size() < kBatchChunks; ++i) {
      if (!expectations[i].image.host)
        continue;
      if (!staging)
        driver.check(driver.memAlloc(&staging, kBatchChunks * chunkBytes), "memory for comparing");
      const Chunk &chunk = chunks[expectations[i].chunk];
      const cu::Pointer to = staging + pairs.size() * chunkBytes;
      driver.check(driver.copyToDevice(to, expectations[i].image.host, chunk.bytes), "comparing");
      pairs.push_back({chunk.live, to, chunk.bytes});
      places.push_back(i);
    }
    some = comparer.compare(pairs, stream);
    for (size_t k = 0; k < some.size(); ++k)
      results[places[k]] = some[k];
  }
  return results;
}

std::vector<Comparer::Result> State::compareGaps() {
  std::vector<Comparer::Pair> pairs;
  for (const Span &gap : gaps)
    pairs.push_back({gap.begin, zeros, gap.bytes()});
  return comparer.compare(pairs, stream);
}

void State::undoGaps(const std::vector<Comparer::Result> &results) {
  for (size_t i = 0; i < gaps.size(); ++i)
    if (results[i].differing)
      driver.check(driver.fillBytes(gaps[i].begin, 0, gaps[i].bytes(), stream), "clearing memory");
}

void State::compare(std::vector<Difference> &differing, std::vector<OutsideWrite> &outside) {
  readArrays();
  std::vector<Expectation> expectations;
  std::vector<bool> isAfter;
  for (size_t i = 0; i < chunks.size(); ++i) {
    if (chunks[i].isConstant || !chunks[i].live)
      continue;
    expectations.push_back({i, chunks[i].after});
    isAfter.push_back(true);
    if (!chunks[i].sharesImage()) {
      expectations.push_back({i, chunks[i].before});
      isAfter.push_back(false);
    }
  }
  const auto add = [&](const Chunk &chunk, uint64_t bytes, uint64_t first) {
    if (differing.empty() || differing.back().object != chunk.object)
      differing.push_back({chunk.object, 0, chunk.offset + first});
    differing.back().bytes += bytes;
  };
  const std::vector<Comparer::Result> results = compareWith(expectations);
  for (size_t i = 0; i < results.size(); ++i) {
    Chunk &chunk = chunks[expectations[i].chunk];
    if (chunk.sharesImage() || !isAfter[i])
      chunk.isChanged = results[i].differing != 0;
    if (isAfter[i] && results[i].differing)
      add(chunk, results[i].differing, results[i].first);
  }
  // A variable that the module lacks keeps its value.
  for (const Chunk &chunk : chunks)
    if (!chunk.live && chunk.unchanged.bytes)
      add(chunk, chunk.unchanged.bytes, chunk.unchanged.first);
  std::stable_sort(differing.begin(), differing.end(),
                   [](const Difference &a, const Difference &b) { return a.object < b.object; });
  const std::vector<Comparer::Result> gapResults = compareGaps();
  for (size_t i = 0; i < gaps.size(); ++i)
    if (gapResults[i].differing)
      outside.push_back({gaps[i].begin + gapResults[i].first, gapResults[i].differing});
  undoGaps(gapResults);
}

void State::undo() {
  for (const Chunk &chunk : chunks)
    if (chunk.isChanged)
      copy(chunk);
  writeArrays(true);
}

void State::findChanges() {
  readArrays();
  std::vector<Expectation> expectations;
  for (size_t i = 0; i < chunks.size(); ++i)
    if (chunks[i].live && !folder.manifest.isVariable(chunks[i].object))
      expectations.push_back({i, chunks[i].before});
  const std::vector<Comparer::Result> results = compareWith(expectations);
  for (size_t i = 0; i < results.size(); ++i)
    chunks[expectations[i].chunk].isChanged = results[i].differing != 0;
  undoGaps(compareGaps());
  isKnown = true;
}

std::vector<uint8_t> State::read(size_t object, uint64_t offset, uint64_t bytes) {
  std::vector<uint8_t> out(bytes);
  const uint64_t chunkBytes = folder.store.index().chunkBytes;
  for (size_t i = firstChunks[object] + offset / chunkBytes; i < firstChunks[object + 1]; ++i) {
    const Chunk &chunk = chunks[i];
    const uint64_t from = std::max(offset, chunk.offset),
                   to = std::min(offset + bytes, chunk.offset + chunk.bytes);
    if (from >= to)
      break;
    if (!chunk.live) {
      std::vector<uint8_t> kept(chunk.bytes);
      std::string error;
      const capture::StoredObject &stored = folder.store.index().objects[object];
      if (!folder.store.readChunk(stored.before[i - firstChunks[object]], kept.data(), error))
        throw ReplayError("the capture is damaged: " + error);
      std::copy_n(kept.data() + (from - chunk.offset), to - from, out.data() + (from - offset));
    } else
      driver.check(driver.copyNow(Driver::pointerTo(out.data() + (from - offset)),
                                  chunk.live + (from - chunk.offset), to - from),
                   "reading " + folder.manifest.objectName(object));
  }
  return out;
}

} // namespace heddle::replay
