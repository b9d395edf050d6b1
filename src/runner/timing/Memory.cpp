// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Memory.h"

#include "Real.h"

#include <algorithm>
#include <iterator>

namespace heddle::timing {
namespace {

/// Pinned memory is mostly for copies; what kernels use of it directly is small: counters and flags.
constexpr size_t kMostPinnedBytes = 1 << 20;

char *asBytes(uintptr_t address) { return reinterpret_cast<char *>(address); }

void freeNow(char *pointer, Kind kind) {
  if (kind == Kind::Pinned)
    REAL(cudaFreeHost)(pointer);
  else
    REAL(cudaFree)(pointer);
}

} // namespace

void Memory::allocated(void *pointer, size_t bytes, Kind kind) {
  if (pointer)
    allocations[reinterpret_cast<uintptr_t>(pointer)] = {bytes, kind, false, ++lastNumber};
}

bool Memory::freed(void *pointer) {
  auto found = allocations.find(reinterpret_cast<uintptr_t>(pointer));
  if (found == allocations.end() || found->second.freed)
    return false;
  found->second.freed = true;
  deferredBytes += found->second.bytes;
  // A program that allocates and frees in a loop must not fill the device.
  if (deferredBytes > roomFor())
    freeDeferred();
  return true;
}

void Memory::variable(const void *symbol, size_t bytes) { symbols.emplace_back(symbol, bytes); }

void Memory::managedVariable(void *const *place, size_t bytes) {
  managedVariables.emplace_back(place, bytes);
}

bool Memory::freeDeferred() {
  bool any = false;
  for (auto next = allocations.begin(); next != allocations.end();) {
    auto here = next++;
    if (!here->second.freed)
      continue;
    freeNow(asBytes(here->first), here->second.kind);
    allocations.erase(here);
    any = true;
  }
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
size_t Memory::roomFor() const {
  size_t freeBytes = 0, total = 0;
  if (REAL(cudaMemGetInfo)(&freeBytes, &total) != cudaSuccess)
    return 0;
  return freeBytes - std::min(freeBytes, total / 4);
}

std::vector<Snapshot::Piece> Memory::pieces() const {
  std::vector<Snapshot::Piece> all;
  for (const auto &[address, piece] : allocations)
    if (!piece.freed && piece.bytes && (piece.kind != Kind::Pinned || piece.bytes <= kMostPinnedBytes))
      all.push_back({asBytes(address), piece.bytes, 0, piece.number});
  for (const auto &[symbol, bytes] : symbols) {
    void *place = nullptr;
    if (REAL(cudaGetSymbolAddress)(&place, symbol) == cudaSuccess)
      all.push_back({static_cast<char *>(place), bytes, 0, 0});
    else
      REAL(cudaGetLastError)(); // of a module that is not loaded: none of the program's errors
  }
  for (const auto &[place, bytes] : managedVariables)
    if (*place)
      all.push_back({static_cast<char *>(*place), bytes, 0, 0});
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
  if (snapshot.bytes > roomFor() || REAL(cudaMalloc)(&copy, snapshot.bytes) != cudaSuccess) {
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
  auto found = allocations.find(reinterpret_cast<uintptr_t>(piece.place));
  return piece.allocation == 0 || (found != allocations.end() && found->second.number == piece.allocation);
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

std::vector<std::pair<char *, size_t>> Memory::managed() const {
  std::map<uint64_t, std::pair<char *, size_t>> byNumber;
  for (const auto &[address, piece] : allocations)
    if (piece.kind == Kind::Managed && !piece.freed)
      byNumber[piece.number] = {asBytes(address), piece.bytes};
  std::vector<std::pair<char *, size_t>> all;
  for (const auto &[place, bytes] : managedVariables)
    if (*place)
      all.emplace_back(static_cast<char *>(*place), bytes);
  for (const auto &[number, piece] : byNumber)
    all.push_back(piece);
  return all;
}

size_t Memory::managedBytes(const void *pointer) const {
  auto found = allocations.find(reinterpret_cast<uintptr_t>(pointer));
  return found != allocations.end() && found->second.kind == Kind::Managed ? found->second.bytes : 0;
}

Place Memory::placeOf(const void *address) const {
  auto after = allocations.upper_bound(reinterpret_cast<uintptr_t>(address));
  if (after == allocations.begin())
    return {};
  const auto &[begin, piece] = *std::prev(after);
  const size_t offset = reinterpret_cast<uintptr_t>(address) - begin;
  return offset < piece.bytes ? Place{piece.number, piece.bytes, offset} : Place{};
}

} // namespace heddle::timing
