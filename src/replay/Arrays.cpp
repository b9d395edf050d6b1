// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "replay/Arrays.h"

namespace heddle::replay {
namespace {

using capture::Array;

cu::CopySide arraySide(cu::Array array) {
  cu::CopySide side;
  side.memoryType = cu::MemoryTypeArray;
  side.array = array;
  return side;
}

cu::CopySide mirrorSide(cu::Pointer mirror, const Array &shape) {
  cu::CopySide side;
  side.memoryType = cu::MemoryTypeDevice;
  side.device = mirror;
  side.pitch = size_t(shape.rowBytes());
  side.height = size_t(shape.rows());
  return side;
}

cu::Copy3D copyOf(const cu::CopySide &to, const cu::CopySide &from, const Array &shape) {
  cu::Copy3D copy;
  copy.to = to;
  copy.from = from;
  copy.widthBytes = size_t(shape.rowBytes());
  copy.height = size_t(shape.rows());
  copy.depth = size_t(shape.slices());
  return copy;
}

} // namespace

int formatOf(const capture::TexelFormat &format) {
  const uint32_t bits = format.bits[0];
  constexpr uint32_t signedKind = 0, unsignedKind = 1, floatKind = 2;
  const int size = bits == 8 ? 0 : bits == 16 ? 1 : bits == 32 ? 2 : -1;
  if (size >= 0 && format.kind == unsignedKind)
    return 1 + size;
  if (size >= 0 && format.kind == signedKind)
    return 8 + size;
  if (size >= 1 && format.kind == floatKind)
    return size == 1 ? 0x10 : 0x20;
  throw ReplayError("the capture has texels of a format that cannot be restored");
}

Arrays::Arrays(Driver &driver, const std::vector<Array> &arrays, cu::Stream stream)
    : driver(driver), stream(stream) {
  if (arrays.empty())
    return;
  if (!driver.arrayCreate || !driver.arrayDestroy || !driver.copy3D)
    throw ReplayError("the CUDA driver has no functions for arrays, which the captured launch uses");
  try {
    for (const Array &shape : arrays) {
      all.push_back({shape});
      Mirrored &made = all.back();
      cu::ArrayDescriptor descriptor;
      descriptor.width = size_t(shape.width);
      descriptor.height = size_t(shape.height);
      descriptor.depth = size_t(shape.depth);
      descriptor.format = formatOf(shape.format);
      descriptor.channels = shape.format.channels();
      descriptor.flags = shape.flags;
      driver.check(driver.arrayCreate(&made.array, &descriptor), "an array of the capture cannot be created");
      driver.check(driver.memAlloc(&made.mirror, size_t(shape.bytes())), "memory for an array");
    }
  } catch (...) {
    release();
    throw;
  }
}

Arrays::~Arrays() { release(); }

void Arrays::release() {
  for (const Mirrored &each : all) {
    if (each.array)
      driver.arrayDestroy(each.array);
    if (each.mirror)
      driver.memFree(each.mirror);
  }
  all.clear();
}

void Arrays::copyFromMirror(size_t number) {
  const Mirrored &each = all[number];
  const cu::Copy3D copy = copyOf(arraySide(each.array), mirrorSide(each.mirror, each.shape), each.shape);
  driver.check(driver.copy3D(&copy, stream), "restoring an array");
}

void Arrays::copyToMirror(size_t number) {
  const Mirrored &each = all[number];
  const cu::Copy3D copy = copyOf(mirrorSide(each.mirror, each.shape), arraySide(each.array), each.shape);
  driver.check(driver.copy3D(&copy, stream), "reading an array");
}

} // namespace heddle::replay
