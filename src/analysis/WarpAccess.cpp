// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/WarpAccess.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>

namespace heddle::analysis {
namespace {

constexpr unsigned lanes = 32, banks = 32;
constexpr int64_t bankBytes = 4, sectorBytes = 32;

/// The thread index of each lane of the first warp.
std::array<std::array<int64_t, 3>, lanes> firstWarp(const LaunchFacts &launch) {
  std::array<std::array<int64_t, 3>, lanes> threads{};
  int64_t width = launch.block[0].value_or(lanes), height = launch.block[1].value_or(1);
  for (unsigned lane = 0; lane < lanes; ++lane)
    threads[lane] = {lane % width, lane / width % height, lane / width / height};
  return threads;
}

/// A symbol in a product with a thread index decides about distances between lanes, so 0 cannot represent it.
std::optional<std::string> unknownDistance(const Polynomial &form, const LaunchFacts &launch) {
  for (const auto &term : form.terms()) {
    if (term.first.size() < 2)
      continue;
    for (const Symbol *factor : term.first) {
      bool matters = factor->dependsOnThread();
      // threadIdx.y is the same for all lanes of a warp that is one row.
      if (factor->kind == SymbolKind::ThreadIdx && factor->dimension > 0)
        matters = launch.block[0].value_or(lanes) < lanes;
      if (matters)
        for (const Symbol *other : term.first)
          if (other != factor)
            return other->name;
    }
  }
  return std::nullopt;
}

unsigned rounds(const std::vector<int64_t> &addresses, int64_t bytes) {
  // 8-byte accesses are served a half-warp at a time, 16-byte ones a quarter: each part needs one round at
  // best.
  unsigned parts = bytes <= bankBytes ? 1 : unsigned(std::min<int64_t>(bytes / bankBytes, 4));
  unsigned total = 0;
  for (unsigned part = 0; part < parts; ++part) {
    std::map<int64_t, std::set<int64_t>> wordsOfBank;
    for (size_t lane = part * addresses.size() / parts; lane < (part + 1) * addresses.size() / parts; ++lane)
      for (int64_t offset = 0; offset < bytes; offset += bankBytes) {
        int64_t word = floorDivide(addresses[lane] + offset, bankBytes);
        wordsOfBank[floorRemainder(word, banks)].insert(word);
      }
    size_t worst = 1;
    for (const auto &bank : wordsOfBank)
      worst = std::max(worst, bank.second.size());
    total += unsigned(worst);
  }
  return (total + parts - 1) / parts;
}

/// Everything but the threads' part and the constant moves all lanes by whole sectors: in[256 * blockIdx.x + threadIdx.x + 1].
/// A block that is not known is taken for whole warps, as its first warp is.
bool movesBySectors(const Polynomial &form) {
  return std::ranges::all_of(form.terms(), [](const auto &term) {
    int64_t step = floorRemainder(term.second, sectorBytes);
    for (const Symbol *factor : term.first) {
      if (factor->numerator)
        return false;
      if (factor->kind == SymbolKind::BlockDim && factor->dimension == 0)
        step *= lanes;
    }
    const bool isLanes = term.first.size() == 1 && term.first[0]->kind == SymbolKind::ThreadIdx;
    return term.first.empty() || isLanes || step % sectorBytes == 0;
  });
}

void countSectors(WarpAccess &result, const std::vector<int64_t> &addresses, int64_t bytes, bool isPlaced) {
  std::set<int64_t> sectors, distinct;
  // The array's start is aligned. Where the warp's first address in it is not known, count from that.
  int64_t first = isPlaced ? 0 : *std::min_element(addresses.begin(), addresses.end());
  for (int64_t address : addresses) {
    distinct.insert(address);
    for (int64_t byte = 0; byte < bytes; ++byte)
      sectors.insert(floorDivide(address - first + byte, sectorBytes));
  }
  result.sectors = unsigned(sectors.size());
  result.fewestSectors = unsigned((int64_t(distinct.size()) * bytes + sectorBytes - 1) / sectorBytes);
}

} // namespace

WarpAccess warpAccess(const Accesses &accesses, const Access &access) {
  WarpAccess result;
  if (!access.address) {
    result.reason = access.address.why().str();
    return result;
  }
  const Polynomial &form = *access.address;
  int64_t bytes = std::max<int64_t>(access.bytes, 1);
  const Symbol *x = accesses.symbols().threadIdx(0);
  auto perThread = form.coefficient(x);
  bool isPlain =
      perThread && !form.mentionsAny([&](const Symbol &s) { return s.numerator && s.dependsOnThread(); });
  if (auto step = isPlain ? perThread->constant() : std::nullopt; step && *step % bytes == 0)
    result.stride = *step / bytes;
  if (auto other = unknownDistance(form, accesses.launch())) {
    result.reason = fmt::format("the stride between lanes depends on {}", *other);
    return result;
  }
  std::vector<int64_t> addresses;
  auto threads = firstWarp(accesses.launch());
  int64_t inBlock = 1;
  for (const auto &extent : accesses.launch().block)
    inBlock *= extent.value_or(lanes);
  for (unsigned lane = 0; lane < std::min<int64_t>(lanes, inBlock); ++lane)
    addresses.push_back(form.evaluate([&](const Symbol &symbol) {
      return symbol.kind == SymbolKind::ThreadIdx ? threads[lane][symbol.dimension] : 0;
    }));

  if (access.array->space == Array::Space::Shared)
    result.bankConflicts = rounds(addresses, bytes);
  else
    countSectors(result, addresses, bytes, movesBySectors(form));
  return result;
}

} // namespace heddle::analysis
