// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies and fills. Every form comes down to one box: rows of bytes, each side with its own pitches.
#include "cudart/Copy.h"
#include "cudart/Fill.h"
#include "cudart/ProgramCheck.h"
#include "cudart/Runtime.h"

#include <fmt/format.h>

#include <cstring>

using namespace heddle;
using namespace heddle::cudart;

namespace {

/// One side of a copy.
struct Side {
  unsigned char *data = nullptr;
  size_t pitchBytes = 0, sliceBytes = 0;
  bool isArray = false;
};

struct Box {
  Side to, from;
  size_t widthBytes = 0, height = 1, depth = 1;

  bool empty() const { return !widthBytes || !height || !depth; }
};

Side linear(const void *pointer, size_t pitchBytes = 0, size_t sliceBytes = 0) {
  return {static_cast<unsigned char *>(const_cast<void *>(pointer)), pitchBytes, sliceBytes};
}

/// From a byte of row `y` on. Arrays of one row let a copy run on over row ends, as cudaMemcpyToArray does.
Side inArray(const cudaArray *array, size_t xBytes, size_t y, size_t z = 0) {
  return {array->data + z * array->sliceBytes() + y * array->rowBytes() + xBytes, array->rowBytes(),
          array->sliceBytes(), true};
}

void move(const Box &box) {
  for (size_t z = 0; z < box.depth; ++z)
    for (size_t y = 0; y < box.height; ++y)
      std::memmove(box.to.data + z * box.to.sliceBytes + y * box.to.pitchBytes,
                   box.from.data + z * box.from.sliceBytes + y * box.from.pitchBytes, box.widthBytes);
}

/// Reports to the checker, row by row: what lies between rows is not touched.
void noteTouched(Runtime &runtime, const Box &box, const char *what) {
  if (!runtime.check)
    return;
  for (size_t z = 0; z < box.depth; ++z)
    for (size_t y = 0; y < box.height; ++y) {
      if (box.from.data)
        runtime.check->read(box.from.data + z * box.from.sliceBytes + y * box.from.pitchBytes, box.widthBytes,
                            what);
      runtime.check->wrote(box.to.data + z * box.to.sliceBytes + y * box.to.pitchBytes, box.widthBytes, what);
    }
}

size_t spanOf(const Side &side, const Box &box) {
  return (box.depth - 1) * side.sliceBytes + (box.height - 1) * side.pitchBytes + box.widthBytes;
}

bool onDevice(Runtime &runtime, const Side &side, const Box &box) {
  return side.isArray || runtime.isDeviceMemory(side.data, spanOf(side, box));
}

bool isReadOnly(Runtime &runtime, const Side &side) {
  if (side.isArray)
    return false;
  auto piece = runtime.simulator.memory().find(reinterpret_cast<uint64_t>(side.data));
  return piece && piece->access == vm::MemoryAccess::Read;
}

/// What is wrong with a side that should be `span` bytes of device memory.
std::string whyNotDevice(Runtime &runtime, const Side &side, const Box &box, const char *which) {
  const auto address = reinterpret_cast<uint64_t>(side.data);
  const vm::Memory &memory = runtime.simulator.memory();
  if (std::optional<vm::Allocation> piece = memory.find(address))
    return fmt::format("{} bytes from byte {} of {}", spanOf(side, box), address - piece->address,
                       piece->str());
  if (std::optional<vm::Allocation> near = memory.nearest(address); near && near->contains(address))
    return near->live && near->access == vm::MemoryAccess::None
               ? fmt::format("{} is mapped without access (cuMemSetAccess)", which)
               : fmt::format("{} is {}", which, near->str());
  return fmt::format("{} is not device memory", which);
}

/// The direction a copy really has, or nothing where it cannot be right.
std::optional<cudaMemcpyKind> directionOf(Runtime &runtime, const Box &box, cudaMemcpyKind kind) {
  bool toDevice = onDevice(runtime, box.to, box), fromDevice = onDevice(runtime, box.from, box);
  switch (kind) {
  case cudaMemcpyHostToHost: return kind;
  case cudaMemcpyHostToDevice: return toDevice ? std::optional(kind) : std::nullopt;
  case cudaMemcpyDeviceToHost: return fromDevice ? std::optional(kind) : std::nullopt;
  case cudaMemcpyDeviceToDevice: return toDevice && fromDevice ? std::optional(kind) : std::nullopt;
  case cudaMemcpyDefault: {
    auto isHostVisible = [&](const Side &side) {
      auto piece = runtime.simulator.memory().find(reinterpret_cast<uint64_t>(side.data));
      return !piece || piece->kind == vm::AllocationKind::Pinned ||
             piece->kind == vm::AllocationKind::Registered;
    };
    if (fromDevice && isHostVisible(box.to))
      return cudaMemcpyDeviceToHost;
    return toDevice ? cudaMemcpyHostToDevice : cudaMemcpyHostToHost;
  }
  }
  return std::nullopt;
}

cudaError_t prepareCopy(Runtime &runtime, const Box &box, cudaMemcpyKind kind, std::function<void()> &work) {
  if (box.empty()) {
    work = [] {};
    return cudaSuccess;
  }
  if (!box.to.data || !box.from.data)
    return cudaErrorInvalidValue;
  bool narrow =
      box.height > 1 && (box.to.pitchBytes < box.widthBytes || box.from.pitchBytes < box.widthBytes);
  if (narrow)
    return cudaErrorInvalidPitchValue;
  std::optional<cudaMemcpyKind> direction = directionOf(runtime, box, kind);
  if (!direction) {
    if (kind > cudaMemcpyDefault)
      return cudaErrorInvalidMemcpyDirection;
    const bool isTarget = kind == cudaMemcpyHostToDevice || onDevice(runtime, box.from, box);
    wrongArguments = isTarget ? whyNotDevice(runtime, box.to, box, "the target")
                              : whyNotDevice(runtime, box.from, box, "the source");
    return cudaErrorInvalidValue;
  }
  if (isReadOnly(runtime, box.to)) {
    wrongArguments = "the target is mapped for reading only (cuMemSetAccess)";
    return cudaErrorInvalidValue;
  }
  work = [box, &runtime] {
    noteTouched(runtime, box, "copy");
    move(box);
  };
  if (*direction == cudaMemcpyDeviceToHost && runtime.logsCopies()) {
    std::vector<std::function<void()>> logs;
    for (size_t z = 0; z < box.depth; ++z)
      logs.push_back(runtime.logCopy(box.to.data + z * box.to.sliceBytes, box.to.pitchBytes,
                                     box.from.data + z * box.from.sliceBytes, 0, box.widthBytes, box.height));
    work = [box, logs, &runtime] {
      noteTouched(runtime, box, "copy");
      move(box);
      for (const auto &log : logs)
        log();
    };
  }
  return cudaSuccess;
}

enum class When { Now, InStream };

cudaError_t copy(const Box &box, cudaMemcpyKind kind, When when, cudaStream_t stream = nullptr,
                 std::source_location where = std::source_location::current()) {
  return api(
      [&](Runtime &runtime) -> cudaError_t {
        std::function<void()> work;
        if (cudaError_t error = prepareCopy(runtime, box, kind, work))
          return error;
        return when == When::Now ? runtime.perform(stream, std::move(work))
                                 : runtime.submit(stream, std::move(work));
      },
      where);
}

Box row(const void *to, const void *from, size_t bytes) { return {linear(to), linear(from), bytes}; }

Box rows(Side to, Side from, size_t widthBytes, size_t height) { return {to, from, widthBytes, height}; }

/// Arrays count their positions and widths in texels, memory in bytes.
cudaError_t boxOf(const cudaMemcpy3DParms &p, Box &box) {
  const cudaArray *array = p.srcArray ? p.srcArray : p.dstArray;
  size_t unit = array ? array->texelBytes : 1;
  auto side = [&](const cudaArray *a, const cudaPitchedPtr &pointer, const cudaPos &at) {
    if (a)
      return inArray(a, at.x * a->texelBytes, at.y, at.z);
    size_t slice = pointer.pitch * pointer.ysize;
    return Side{static_cast<unsigned char *>(pointer.ptr) + at.z * slice + at.y * pointer.pitch + at.x,
                pointer.pitch, slice};
  };
  if (p.srcArray && p.dstArray && p.srcArray->texelBytes != p.dstArray->texelBytes)
    return cudaErrorInvalidValue;
  box = {side(p.dstArray, p.dstPtr, p.dstPos), side(p.srcArray, p.srcPtr, p.srcPos), p.extent.width * unit,
         p.extent.height, p.extent.depth};
  return cudaSuccess;
}

cudaError_t copy3D(const cudaMemcpy3DParms *parameters, When when, cudaStream_t stream,
                   std::source_location where = std::source_location::current()) {
  Box box;
  if (!parameters || boxOf(*parameters, box))
    return lastError = cudaErrorInvalidValue;
  return copy(box, parameters->kind, when, stream, where);
}

cudaMemcpy3DParms fromPeer(const cudaMemcpy3DPeerParms &p) {
  return {p.srcArray, p.srcPos, p.srcPtr, p.dstArray, p.dstPos, p.dstPtr, p.extent, cudaMemcpyDefault};
}

/// `bytes` from byte `offset` of the symbol on; checks that they lie inside of it.
cudaError_t symbolBytes(Runtime &runtime, const void *symbol, size_t offset, size_t bytes, void *&address) {
  cudaError_t error = cudaSuccess;
  const vm::Variable *variable = runtime.modules.variableOf(symbol, error);
  if (!variable)
    return error;
  if (offset > variable->bytes || bytes > variable->bytes - offset) {
    wrongArguments = fmt::format("{} bytes from byte {} of '{}', which has {}", bytes, offset, variable->name,
                                 variable->bytes);
    return cudaErrorInvalidValue;
  }
  address = reinterpret_cast<char *>(variable->address) + offset;
  return cudaSuccess;
}

enum class Way { ToSymbol, FromSymbol };

cudaError_t symbolCopy(Way way, const void *symbol, const void *other, size_t bytes, size_t offset,
                       cudaMemcpyKind kind, When when, cudaStream_t stream = nullptr,
                       std::source_location where = std::source_location::current()) {
  return api(
      [&](Runtime &runtime) -> cudaError_t {
        void *address = nullptr;
        if (cudaError_t error = symbolBytes(runtime, symbol, offset, bytes, address))
          return error;
        return way == Way::ToSymbol ? copy(row(address, other, bytes), kind, when, stream)
                                    : copy(row(other, address, bytes), kind, when, stream);
      },
      where);
}

void fillRow(unsigned char *row, uint32_t value, size_t elementBytes, size_t bytes) {
  if (elementBytes == 1)
    std::memset(row, int(value & 0xff), bytes);
  else
    for (size_t at = 0; at < bytes; at += elementBytes)
      std::memcpy(row + at, &value, elementBytes);
}

/// Fills rows with an element of `elementBytes` bytes.
cudaError_t fill(const Box &box, uint32_t value, When when, cudaStream_t stream = nullptr,
                 size_t elementBytes = 1, std::source_location where = std::source_location::current()) {
  return api(
      [&](Runtime &runtime) -> cudaError_t {
        if (box.empty())
          return cudaSuccess;
        if (!onDevice(runtime, box.to, box)) {
          wrongArguments = whyNotDevice(runtime, box.to, box, "the target");
          return cudaErrorInvalidValue;
        }
        if (isReadOnly(runtime, box.to)) {
          wrongArguments = "the target is mapped for reading only (cuMemSetAccess)";
          return cudaErrorInvalidValue;
        }
        auto work = [box, value, elementBytes, &runtime] {
          noteTouched(runtime, box, "fill");
          for (size_t z = 0; z < box.depth; ++z)
            for (size_t y = 0; y < box.height; ++y)
              fillRow(box.to.data + z * box.to.sliceBytes + y * box.to.pitchBytes, value, elementBytes,
                      box.widthBytes);
        };
        return when == When::Now ? runtime.perform(stream, work) : runtime.submit(stream, work);
      },
      where);
}

Box filled(void *pointer, size_t pitch, size_t widthBytes, size_t height, size_t slice = 0,
           size_t depth = 1) {
  return {linear(pointer, pitch, slice), {}, widthBytes, height, depth};
}

Box filled(const ElementFill &fill) {
  return filled(fill.to, fill.pitchBytes, fill.width * fill.elementBytes, fill.height);
}

} // namespace

cudaError_t heddle::cudart::fillElements(const ElementFill &f) {
  return fill(filled(f), f.value, When::Now, nullptr, f.elementBytes);
}
cudaError_t heddle::cudart::fillElementsAsync(const ElementFill &f, cudaStream_t stream) {
  return fill(filled(f), f.value, When::InStream, stream, f.elementBytes);
}

// Each time by itself: memory may have been freed since, and every copy to the host is logged.
cudaError_t heddle::cudart::repeatedCopy(Runtime &runtime, const cudaMemcpy3DParms &parameters,
                                         std::function<void()> &work) {
  auto prepare = [&runtime, p = parameters](std::function<void()> &once) -> cudaError_t {
    Box box;
    if (cudaError_t error = boxOf(p, box))
      return error;
    return prepareCopy(runtime, box, p.kind, once);
  };
  work = [prepare] {
    if (std::function<void()> once; prepare(once) == cudaSuccess)
      once();
  };
  std::function<void()> first;
  return prepare(first);
}

extern "C" {

cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes, cudaMemcpyKind kind) {
  return copy(row(to, from, bytes), kind, When::Now);
}
cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t stream) {
  return copy(row(to, from, bytes), kind, When::InStream, stream);
}
cudaError_t cudaMemcpyPeer(void *to, int, const void *from, int, size_t bytes) {
  return copy(row(to, from, bytes), cudaMemcpyDeviceToDevice, When::Now);
}
cudaError_t cudaMemcpyPeerAsync(void *to, int, const void *from, int, size_t bytes, cudaStream_t stream) {
  return copy(row(to, from, bytes), cudaMemcpyDeviceToDevice, When::InStream, stream);
}

cudaError_t cudaMemcpy2D(void *to, size_t toPitch, const void *from, size_t fromPitch, size_t width,
                         size_t height, cudaMemcpyKind kind) {
  return copy(rows(linear(to, toPitch), linear(from, fromPitch), width, height), kind, When::Now);
}
cudaError_t cudaMemcpy2DAsync(void *to, size_t toPitch, const void *from, size_t fromPitch, size_t width,
                              size_t height, cudaMemcpyKind kind, cudaStream_t stream) {
  return copy(rows(linear(to, toPitch), linear(from, fromPitch), width, height), kind, When::InStream,
              stream);
}

cudaError_t cudaMemcpy3D(const cudaMemcpy3DParms *parameters) {
  return copy3D(parameters, When::Now, nullptr);
}
cudaError_t cudaMemcpy3DAsync(const cudaMemcpy3DParms *parameters, cudaStream_t stream) {
  return copy3D(parameters, When::InStream, stream);
}
cudaError_t cudaMemcpy3DPeer(const cudaMemcpy3DPeerParms *parameters) {
  cudaMemcpy3DParms plain = fromPeer(*parameters);
  return copy3D(&plain, When::Now, nullptr);
}
cudaError_t cudaMemcpy3DPeerAsync(const cudaMemcpy3DPeerParms *parameters, cudaStream_t stream) {
  cudaMemcpy3DParms plain = fromPeer(*parameters);
  return copy3D(&plain, When::InStream, stream);
}

cudaError_t cudaMemcpyToSymbol(const void *symbol, const void *from, size_t bytes, size_t offset,
                               cudaMemcpyKind kind) {
  return symbolCopy(Way::ToSymbol, symbol, from, bytes, offset, kind, When::Now);
}
cudaError_t cudaMemcpyFromSymbol(void *to, const void *symbol, size_t bytes, size_t offset,
                                 cudaMemcpyKind kind) {
  return symbolCopy(Way::FromSymbol, symbol, to, bytes, offset, kind, When::Now);
}
cudaError_t cudaMemcpyToSymbolAsync(const void *symbol, const void *from, size_t bytes, size_t offset,
                                    cudaMemcpyKind kind, cudaStream_t stream) {
  return symbolCopy(Way::ToSymbol, symbol, from, bytes, offset, kind, When::InStream, stream);
}
cudaError_t cudaMemcpyFromSymbolAsync(void *to, const void *symbol, size_t bytes, size_t offset,
                                      cudaMemcpyKind kind, cudaStream_t stream) {
  return symbolCopy(Way::FromSymbol, symbol, to, bytes, offset, kind, When::InStream, stream);
}

cudaError_t cudaMemcpyToArray(cudaArray_t to, size_t x, size_t y, const void *from, size_t bytes,
                              cudaMemcpyKind kind) {
  return copy(rows(inArray(to, x, y), linear(from), bytes, 1), kind, When::Now);
}
cudaError_t cudaMemcpyFromArray(void *to, cudaArray_const_t from, size_t x, size_t y, size_t bytes,
                                cudaMemcpyKind kind) {
  return copy(rows(linear(to), inArray(from, x, y), bytes, 1), kind, When::Now);
}
cudaError_t cudaMemcpyToArrayAsync(cudaArray_t to, size_t x, size_t y, const void *from, size_t bytes,
                                   cudaMemcpyKind kind, cudaStream_t stream) {
  return copy(rows(inArray(to, x, y), linear(from), bytes, 1), kind, When::InStream, stream);
}
cudaError_t cudaMemcpyFromArrayAsync(void *to, cudaArray_const_t from, size_t x, size_t y, size_t bytes,
                                     cudaMemcpyKind kind, cudaStream_t stream) {
  return copy(rows(linear(to), inArray(from, x, y), bytes, 1), kind, When::InStream, stream);
}
cudaError_t cudaMemcpyArrayToArray(cudaArray_t to, size_t toX, size_t toY, cudaArray_const_t from,
                                   size_t fromX, size_t fromY, size_t bytes, cudaMemcpyKind kind) {
  return copy(rows(inArray(to, toX, toY), inArray(from, fromX, fromY), bytes, 1), kind, When::Now);
}
cudaError_t cudaMemcpy2DToArray(cudaArray_t to, size_t x, size_t y, const void *from, size_t pitch,
                                size_t width, size_t height, cudaMemcpyKind kind) {
  return copy(rows(inArray(to, x, y), linear(from, pitch), width, height), kind, When::Now);
}
cudaError_t cudaMemcpy2DToArrayAsync(cudaArray_t to, size_t x, size_t y, const void *from, size_t pitch,
                                     size_t width, size_t height, cudaMemcpyKind kind, cudaStream_t stream) {
  return copy(rows(inArray(to, x, y), linear(from, pitch), width, height), kind, When::InStream, stream);
}
cudaError_t cudaMemcpy2DFromArray(void *to, size_t pitch, cudaArray_const_t from, size_t x, size_t y,
                                  size_t width, size_t height, cudaMemcpyKind kind) {
  return copy(rows(linear(to, pitch), inArray(from, x, y), width, height), kind, When::Now);
}
cudaError_t cudaMemcpy2DFromArrayAsync(void *to, size_t pitch, cudaArray_const_t from, size_t x, size_t y,
                                       size_t width, size_t height, cudaMemcpyKind kind,
                                       cudaStream_t stream) {
  return copy(rows(linear(to, pitch), inArray(from, x, y), width, height), kind, When::InStream, stream);
}
cudaError_t cudaMemcpy2DArrayToArray(cudaArray_t to, size_t toX, size_t toY, cudaArray_const_t from,
                                     size_t fromX, size_t fromY, size_t width, size_t height,
                                     cudaMemcpyKind kind) {
  return copy(rows(inArray(to, toX, toY), inArray(from, fromX, fromY), width, height), kind, When::Now);
}

cudaError_t cudaMemset(void *pointer, int value, size_t bytes) {
  return fill(filled(pointer, 0, bytes, 1), uint32_t(value), When::Now);
}
cudaError_t cudaMemsetAsync(void *pointer, int value, size_t bytes, cudaStream_t stream) {
  return fill(filled(pointer, 0, bytes, 1), uint32_t(value), When::InStream, stream);
}
cudaError_t cudaMemset2D(void *pointer, size_t pitch, int value, size_t width, size_t height) {
  return fill(filled(pointer, pitch, width, height), uint32_t(value), When::Now);
}
cudaError_t cudaMemset2DAsync(void *pointer, size_t pitch, int value, size_t width, size_t height,
                              cudaStream_t stream) {
  return fill(filled(pointer, pitch, width, height), uint32_t(value), When::InStream, stream);
}
cudaError_t cudaMemset3D(cudaPitchedPtr p, int value, cudaExtent extent) {
  return fill(filled(p.ptr, p.pitch, extent.width, extent.height, p.pitch * p.ysize, extent.depth),
              uint32_t(value), When::Now);
}
cudaError_t cudaMemset3DAsync(cudaPitchedPtr p, int value, cudaExtent extent, cudaStream_t stream) {
  return fill(filled(p.ptr, p.pitch, extent.width, extent.height, p.pitch * p.ysize, extent.depth),
              uint32_t(value), When::InStream, stream);
}
}
