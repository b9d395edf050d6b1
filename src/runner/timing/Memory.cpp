// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Memory.h"

#include "trace/preload/Real.h"

#include <algorithm>

namespace heddle::timing {
namespace {

/// Pinned memory is mostly for copies; what kernels use of it directly is small: counters and flags.
constexpr size_t kMostPinnedBytes = 1 << 20;

char *asBytes(uintptr_t address) { return reinterpret_cast<char *>(address); }

void freeNow(char *pointer, MemoryKind kind) {
  if (kind == MemoryKind::Pinned)
    REAL(cudaFreeHost)(pointer);
  else
    REAL(cudaFree)(pointer);
}

} // namespace

bool Memory::freed(void *pointer) {
  const trace::Allocation *known = program.beginningAt(pointer);
  if (!known || !deferred.insert(reinterpret_cast<uintptr_t>(pointer)).second)
    return false;
  deferredBytes += known->bytes;
  // A program that allocates and frees in a loop must not fill the device.
  if (deferredBytes > freeBytes())
    freeDeferred();
  return true;
}

void Memory::givenOut(void *pointer) {
  const trace::Allocation *before = program.beginningAt(pointer);
  if (deferred.erase(reinterpret_cast<uintptr_t>(pointer)) && before)
    deferredBytes -= before->bytes;
}

bool Memory::freeDeferred() {
  const bool any = !deferred.empty();
  for (uintptr_t address : deferred) {
    freeNow(asBytes(address), program.beginningAt(asBytes(address))->kind);
    program.freed(asBytes(address));
  }
  deferred.clear();
  deferredBytes = 0;
  return any;
}

bool Memory::giveBack() {
  bool any = freeDeferred() || !copies.empty();
  for (char *copy : copies)
    REAL(cudaFree)(copy);
  copies.clear();
  return any;
}

/// Bytes that we may still take: a quarter stays for what the program allocates later.
size_t Memory::freeBytes() const {
  size_t freeBytes = 0, total = 0;
  if (REAL(cudaMemGetInfo)(&freeBytes, &total) != cudaSuccess)
    return 0;
  return freeBytes - std::min(freeBytes, total / 4);
}

std::vector<Snapshot::Piece> Memory::pieces() const {
  std::vector<Snapshot::Piece> all;
  for (const auto &[address, piece] : program.allocations)
    if (!deferred.count(address) && piece.bytes &&
        (piece.kind != MemoryKind::Pinned || piece.bytes <= kMostPinnedBytes))
      all.push_back({asBytes(address), piece.bytes, 0, piece.number});
  for (const trace::DeviceVariable &variable : program.variables) {
    void *place = nullptr;
    if (REAL(cudaGetSymbolAddress)(&place, variable.symbol) == cudaSuccess)
      all.push_back({static_cast<char *>(place), variable.bytes, 0, 0});
    else
      REAL(cudaGetLastError)(); // of a module that is not loaded: none of the program's errors
  }
  for (const trace::ManagedVariable &variable : program.managedVariables)
    if (*variable.place)
      all.push_back({static_cast<char *>(*variable.place), variable.bytes, 0, 0});
  return all;
}

Snapshot Memory::take() {
  Snapshot snapshot;
  snapshot.pieces = pieces();
  for (Snapshot::Piece &piece : snapshot.pieces) {
    piece.offset = snapshot.bytes;
    snapshot.bytes += (piece.bytes + 255) / 256 * 256;
  }
  snapshot.taken = true;
  if (snapshot.pieces.empty())
    return snapshot;
  void *copy = nullptr;
  if (snapshot.bytes > freeBytes() || REAL(cudaMalloc)(&copy, snapshot.bytes) != cudaSuccess) {
    REAL(cudaGetLastError)();
    return {};
  }
  copies.push_back(snapshot.copy = static_cast<char *>(copy));
  REAL(cudaDeviceSynchronize)(); // whatever the program's other streams still write
  for (const Snapshot::Piece &piece : snapshot.pieces)
    REAL(cudaMemcpyAsync)(snapshot.copy + piece.offset, piece.place, piece.bytes, cudaMemcpyDefault, nullptr);
  REAL(cudaStreamSynchronize)(nullptr);
  return snapshot;
}

bool Memory::holds(const Snapshot::Piece &piece) const {
  const trace::Allocation *found = program.beginningAt(piece.place);
  return piece.allocation == 0 || (found && found->number == piece.allocation);
}

bool Memory::restore(const Snapshot &snapshot) const {
  if (!snapshot.taken ||
      (snapshot.copy && std::find(copies.begin(), copies.end(), snapshot.copy) == copies.end()))
    return false;
  for (const Snapshot::Piece &piece : snapshot.pieces)
    if (!holds(piece) || REAL(cudaMemcpyAsync)(piece.place, snapshot.copy + piece.offset, piece.bytes,
                                               cudaMemcpyDefault, nullptr) != cudaSuccess)
      return false;
  return true;
}

std::vector<trace::Piece> Memory::managed() const {
  std::vector<trace::Piece> all;
  for (const trace::Piece &piece : program.readableByHost())
    if (const trace::Allocation *allocation = program.beginningAt(asBytes(piece.address));
        !allocation || (allocation->kind == MemoryKind::Managed && !deferred.count(piece.address)))
      all.push_back(piece);
  std::stable_sort(all.begin(), all.end(),
                   [](const trace::Piece &a, const trace::Piece &b) { return a.id < b.id; });
  return all;
}

} // namespace heddle::timing
