// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/WarpAccess.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <set>

namespace heddle::analysis {
namespace {

constexpr unsigned lanes = 32, banks = 32;
constexpr int64_t bankBytes = 4, sectorBytes = 32;

using ThreadIndex = std::array<int64_t, 3>;

/// The thread index of each lane of a warp; fewer than 32 in the last warp of a block.
std::vector<ThreadIndex> threadsOfWarp(const LaunchFacts &launch, unsigned warp) {
  const int64_t width = launch.block[0].value_or(lanes), height = launch.block[1].value_or(1);
  const int64_t all = width * height * launch.block[2].value_or(1);
  std::vector<ThreadIndex> threads;
  for (int64_t thread = int64_t(warp) * lanes; thread < std::min<int64_t>((warp + 1) * lanes, all); ++thread)
    threads.push_back({thread % width, thread / width % height, thread / width / height});
  return threads;
}

/// The number of a thread in its warp.
unsigned laneOf(const ThreadIndex &thread, const LaunchFacts &launch) {
  const int64_t width = launch.block[0].value_or(lanes), height = launch.block[1].value_or(1);
  return unsigned(((thread[2] * height + thread[1]) * width + thread[0]) % lanes);
}

bool isOfThreadAlone(const Polynomial &form) {
  return !form.mentionsAny([](const Symbol &symbol) {
    return symbol.kind != SymbolKind::ThreadIdx && symbol.kind != SymbolKind::Floor;
  });
}

int64_t valueFor(const Polynomial &form, const ThreadIndex &thread) {
  return form.evaluate([&](const Symbol &symbol) {
    return symbol.kind == SymbolKind::ThreadIdx ? thread[symbol.dimension] : 0;
  });
}

/// What a condition is for one thread; nothing where that is decided by more than its index.
std::optional<bool> decide(const Condition &condition, const ThreadIndex &thread) {
  using Kind = Condition::Kind;
  switch (condition.kind) {
  case Kind::Unknown: return std::nullopt;
  case Kind::AtLeast:
  case Kind::Equal:
  case Kind::NotEqual: {
    if (!isOfThreadAlone(condition.form))
      return std::nullopt;
    const int64_t value = valueFor(condition.form, thread);
    return condition.kind == Kind::AtLeast ? value >= 0 : (value == 0) == (condition.kind == Kind::Equal);
  }
  case Kind::And:
  case Kind::Or: {
    const bool decisive = condition.kind == Kind::Or;
    bool isUnknown = false;
    for (const Condition &part : condition.parts) {
      const std::optional<bool> value = decide(part, thread);
      if (value == decisive)
        return decisive;
      isUnknown |= !value;
    }
    return isUnknown ? std::nullopt : std::optional(!decisive);
  }
  }
  return std::nullopt;
}

bool isExcluded(const Guards &guards, const ThreadIndex &thread) {
  for (const Guard *guard = guards.get(); guard; guard = guard->outer.get())
    if (decide(guard->condition, thread) == false)
      return true;
  return false;
}

/// The lanes that execute an access, in the first of the warps with most of them.
struct ExecutingLanes {
  std::vector<ThreadIndex> threads;
  unsigned lanesOfWarp = 0, warps = 0, executingWarps = 0;
};

ExecutingLanes executingLanes(const Access &access, const LaunchFacts &launch) {
  const bool isKnown = launch.block[0] && launch.block[1] && launch.block[2];
  unsigned warps = 1;
  if (isKnown)
    warps = unsigned((*launch.block[0] * *launch.block[1] * *launch.block[2] + lanes - 1) / lanes);
  ExecutingLanes result;
  result.warps = isKnown ? warps : 0;
  for (unsigned warp = 0; warp < warps; ++warp) {
    std::vector<ThreadIndex> threads = threadsOfWarp(launch, warp);
    const auto all = unsigned(threads.size());
    std::erase_if(threads, [&](const ThreadIndex &thread) { return isExcluded(access.guards, thread); });
    result.executingWarps += isKnown && !threads.empty();
    if (warp == 0 || threads.size() > result.threads.size()) {
      result.lanesOfWarp = all;
      result.threads = std::move(threads);
    }
  }
  return result;
}

/// True where all lanes of a warp have the same threadIdx.y and threadIdx.z.
bool isOneRow(const LaunchFacts &launch) { return launch.block[0].value_or(lanes) >= lanes; }

/// A symbol in a product with a thread index decides about distances between lanes, so 0 cannot represent it.
std::optional<std::string> unknownDistance(const Polynomial &form, const LaunchFacts &launch) {
  for (const auto &term : form.terms()) {
    if (term.first.size() < 2)
      continue;
    for (const Symbol *factor : term.first) {
      bool matters = factor->dependsOnThread();
      if (factor->kind == SymbolKind::ThreadIdx && factor->dimension > 0)
        matters = !isOneRow(launch);
      if (matters)
        for (const Symbol *other : term.first)
          if (other != factor)
            return other->name;
    }
  }
  return std::nullopt;
}

/// Passes over the banks, and how many would do if no two lanes wanted different words of one bank.
struct BankPasses {
  unsigned needed = 0, atBest = 0;
};

BankPasses bankPasses(const std::vector<std::pair<unsigned, int64_t>> &addressOfLane, int64_t bytes,
                      bool isAtomic) {
  // 8-byte accesses are served a half-warp at a time, 16-byte ones a quarter: each part needs one pass at best.
  const unsigned parts = bytes <= bankBytes ? 1 : unsigned(std::min<int64_t>(bytes / bankBytes, 4));
  BankPasses passes;
  for (unsigned part = 0; part < parts; ++part) {
    std::map<int64_t, std::multiset<int64_t>> wordsOfBank;
    for (const auto &[lane, address] : addressOfLane)
      if (lane / (lanes / parts) == part)
        for (int64_t offset = 0; offset < bytes; offset += bankBytes) {
          const int64_t word = floorDivide(address + offset, bankBytes);
          std::multiset<int64_t> &words = wordsOfBank[floorRemainder(word, banks)];
          if (isAtomic || !words.contains(word))
            words.insert(word);
        }
    size_t most = 0;
    for (const auto &bank : wordsOfBank)
      most = std::max(most, bank.second.size());
    passes.needed += unsigned(most);
    passes.atBest += most > 0;
  }
  return passes;
}

/// The addresses of a warp in global memory as what is known of each lane, and unknown numbers by which all lanes, or the rows of
/// a narrow block, are moved.
struct Placement {
  Polynomial lanePart; ///< numbers and single thread indices that differ within a warp
  /// Unknown numbers of bytes, as a number times symbols: (4, {w, blockIdx.y}).
  using Unknown = std::pair<int64_t, Monomial>;
  std::vector<Unknown> ofWarp; ///< moves all lanes alike
  std::vector<Unknown> ofRow;  ///< times threadIdx.y or .z, where a warp has several rows
  bool isUnderstood = true;    ///< false where lanes of a row are an unknown number of bytes apart
};

Placement placementOf(const Polynomial &form, const LaunchFacts &launch) {
  Placement result;
  for (const auto &[product, coefficient] : form.terms()) {
    const auto lane = std::ranges::find_if(product, [&](const Symbol *factor) {
      const bool isConstantInWarp =
          isOneRow(launch) && factor->kind == SymbolKind::ThreadIdx && factor->dimension > 0;
      return factor->dependsOnThread() && !isConstantInWarp;
    });
    Polynomial term(coefficient);
    for (const Symbol *factor : product)
      term = term * Polynomial(factor);
    if (product.empty() || (lane != product.end() && product.size() == 1)) {
      // (threadIdx.x + n) / 32
      if (lane != product.end() && (*lane)->numerator && (*lane)->numerator->mentionsAny([](const Symbol &s) {
            return s.kind == SymbolKind::Parameter || s.kind == SymbolKind::Uniform ||
                   s.kind == SymbolKind::Iteration;
          }))
        result.isUnderstood = false;
      result.lanePart = result.lanePart + term;
      // The first row of another warp of a narrow block.
      if (const int64_t width = launch.block[0].value_or(lanes);
          lane != product.end() && !isOneRow(launch) && (*lane)->dimension == 1 && lanes % width == 0)
        result.ofWarp.push_back({coefficient * (int64_t(lanes) / width), {}});
    } else if (lane == product.end()) {
      result.ofWarp.push_back({coefficient, product});
    } else {
      result.isUnderstood &= (*lane)->kind == SymbolKind::ThreadIdx && (*lane)->dimension > 0;
      Monomial rest = product;
      rest.erase(rest.begin() + (lane - product.begin()));
      result.ofRow.push_back({coefficient, rest});
    }
  }
  return result;
}

/// The part of an unknown number's bytes that is known to be a factor. A block that is not known is taken for whole warps.
int64_t factorOf(const Placement::Unknown &unknown) {
  int64_t factor = unknown.first;
  for (const Symbol *symbol : unknown.second)
    if (symbol->kind == SymbolKind::BlockDim && symbol->dimension == 0)
      factor = factor % sectorBytes * lanes;
  return std::gcd(factor, sectorBytes);
}

/// What must be a multiple of what, so that unknown numbers move lanes by whole sectors.
struct Alignment {
  std::map<std::string, int64_t> multiples; ///< by symbol
  int64_t step = sectorBytes;               ///< lanes are moved by a multiple of this, if these hold
  int64_t stepOtherwise = sectorBytes;

  void add(const Placement::Unknown &unknown) {
    const int64_t factor = factorOf(unknown);
    stepOtherwise = std::gcd(stepOtherwise, factor);
    if (factor == sectorBytes)
      return;
    const auto named = std::ranges::find_if(unknown.second, [](const Symbol *symbol) {
      return symbol->kind == SymbolKind::Parameter || symbol->kind == SymbolKind::Uniform;
    });
    if (named == unknown.second.end())
      step = std::gcd(step, factor);
    else
      multiples[(*named)->name] =
          std::lcm(std::max<int64_t>(multiples[(*named)->name], 1), sectorBytes / factor);
  }

  /// "w is a multiple of 8"
  std::string str() const {
    std::vector<std::string> parts;
    for (const auto &[name, of] : multiples)
      parts.push_back(fmt::format("{} is a multiple of {}", name, of));
    return fmt::format("{}", fmt::join(parts, " and "));
  }
};

struct Range {
  unsigned least = 0, most = 0;
};

/// Sectors of lanes that are moved by any multiple of `step` bytes.
Range sectorsOf(const std::vector<int64_t> &addresses, int64_t bytes, int64_t step) {
  Range range{~0U, 0};
  for (int64_t moved = 0; moved < sectorBytes; moved += step) {
    std::set<int64_t> sectors;
    for (int64_t address : addresses)
      for (int64_t sector = floorDivide(address + moved, sectorBytes);
           sector <= floorDivide(address + moved + bytes - 1, sectorBytes); ++sector)
        sectors.insert(sector);
    range = {std::min(range.least, unsigned(sectors.size())), std::max(range.most, unsigned(sectors.size()))};
  }
  return range;
}

/// How many bytes accesses of `bytes` each touch at these addresses; those of neighbours may overlap.
int64_t distinctBytes(const std::vector<int64_t> &addresses, int64_t bytes) {
  int64_t total = 0;
  std::optional<int64_t> end;
  for (const int64_t address : std::set<int64_t>(addresses.begin(), addresses.end())) {
    total += end ? std::min(bytes, address + bytes - *end) : bytes;
    end = address + bytes;
  }
  return total;
}

using AddressesOfRows =
    std::map<std::array<int64_t, 2>, std::vector<int64_t>>; ///< addresses by threadIdx.y and .z

/// Rows that are an unknown number of bytes apart are taken not to overlap.
Range sectorsOfRows(const AddressesOfRows &rows, int64_t bytes, int64_t step) {
  Range sum;
  for (const auto &row : rows) {
    const Range one = sectorsOf(row.second, bytes, step);
    sum = {sum.least + one.least, sum.most + one.most};
  }
  return sum;
}

/// "2 rows of 64 bytes, n elements apart"
std::string rowsText(const AddressesOfRows &rows, const Polynomial &form, int64_t bytes, const Symbol *y) {
  const std::vector<int64_t> &first = rows.begin()->second;
  const std::set<int64_t> distinct(first.begin(), first.end());
  const bool isDense = *distinct.rbegin() - *distinct.begin() == bytes * (int64_t(distinct.size()) - 1);
  std::string text = fmt::format("{} rows", rows.size());
  if (isDense)
    text += fmt::format(" of {} bytes", bytes * int64_t(distinct.size()));
  const auto perRow = form.coefficient(y);
  if (const auto elements = perRow ? perRow->dividedBy(bytes) : std::nullopt)
    text += fmt::format(", {} elements apart", elements->str());
  return text;
}

/// Lanes that are at least a sector apart touch one each: m[r * columns] with r by thread.
void countApart(WarpAccess &result, const Polynomial &form, const Symbol *x, int64_t bytes, unsigned count) {
  const auto perLane = form.coefficient(x);
  if (!perLane || perLane->terms().size() != 1 || (bytes & (bytes - 1)) || bytes > sectorBytes)
    return;
  const auto &[product, coefficient] = *perLane->terms().begin();
  if (product.size() != 1 || coefficient <= 0 || coefficient % bytes)
    return;
  result.rows = fmt::format("lanes {} elements apart", perLane->dividedBy(bytes)->str());
  result.sectors = result.mostSectors = count;
  result.leastSectors = 1;
  result.fewestSectors = unsigned((int64_t(count) * bytes + sectorBytes - 1) / sectorBytes);
  result.condition =
      fmt::format("{} is at least {}", product.front()->name, (sectorBytes + coefficient - 1) / coefficient);
}

} // namespace

WarpAccess warpAccess(const Accesses &accesses, const Access &access) {
  WarpAccess result;
  if (!access.address) {
    result.reason = access.address.why().str();
    return result;
  }
  const Polynomial &form = *access.address;
  const LaunchFacts &launch = accesses.launch();
  const int64_t bytes = std::max<int64_t>(access.bytes, 1);
  const Symbol *x = accesses.symbols().threadIdx(0);
  auto perThread = form.coefficient(x);
  bool isPlain =
      perThread && !form.mentionsAny([&](const Symbol &s) { return s.numerator && s.dependsOnThread(); });
  if (auto step = isPlain ? perThread->constant() : std::nullopt; step && *step % bytes == 0)
    result.stride = *step / bytes;

  const ExecutingLanes executing = executingLanes(access, launch);
  const auto count = unsigned(executing.threads.size());
  result.lanes = executing.lanesOfWarp;
  result.executing = count;
  result.warps = executing.warps;
  result.executingWarps = executing.executingWarps;
  if (!count) {
    result.reason = "no thread of the block executes it";
    return result;
  }
  const auto addressesOf = [&](const Polynomial &part) {
    std::vector<int64_t> addresses;
    for (const ThreadIndex &thread : executing.threads)
      addresses.push_back(valueFor(part, thread));
    return addresses;
  };

  const auto unknown = unknownDistance(form, launch);
  if (access.array->space == Array::Space::Shared) {
    if (unknown) {
      result.reason = fmt::format("the stride between lanes depends on {}", *unknown);
      return result;
    }
    const std::vector<int64_t> addresses = addressesOf(form);
    result.isOneAddress = std::set<int64_t>(addresses.begin(), addresses.end()).size() == 1;
    std::vector<std::pair<unsigned, int64_t>> addressOfLane;
    for (size_t i = 0; i < addresses.size(); ++i)
      addressOfLane.emplace_back(laneOf(executing.threads[i], launch), addresses[i]);
    const BankPasses passes = bankPasses(addressOfLane, bytes, access.kind == Access::Kind::Atomic);
    result.wavefronts = passes.needed;
    result.bankConflicts = (passes.needed + passes.atBest - 1) / passes.atBest;
    return result;
  }

  const Placement placement = placementOf(form, launch);
  if (!placement.isUnderstood) {
    if (unknown && isPlain && isOneRow(launch))
      countApart(result, form, x, bytes, count);
    if (!result.sectors)
      result.reason = unknown ? fmt::format("the stride between lanes depends on {}", *unknown)
                              : "the stride between lanes depends on a division";
    return result;
  }
  const std::vector<int64_t> addresses = addressesOf(placement.lanePart);
  const std::set<int64_t> distinct(addresses.begin(), addresses.end());
  AddressesOfRows rows;
  for (unsigned lane = 0; lane < count; ++lane)
    rows[placement.ofRow.empty() ? std::array<int64_t, 2>{}
                                 : std::array{executing.threads[lane][1], executing.threads[lane][2]}]
        .push_back(addresses[lane]);
  Alignment alignment;
  for (const Placement::Unknown &each : placement.ofWarp)
    alignment.add(each);
  for (const Placement::Unknown &each : placement.ofRow)
    alignment.add(each);
  int64_t all = 0;
  for (const auto &row : rows)
    all += distinctBytes(row.second, bytes);
  result.fewestSectors = unsigned((all + sectorBytes - 1) / sectorBytes);
  result.isOneAddress = rows.size() == 1 && distinct.size() == 1;
  if (rows.size() > 1)
    result.rows = rowsText(rows, form, bytes, accesses.symbols().threadIdx(1));
  const Range always = sectorsOfRows(rows, bytes, alignment.stepOtherwise);
  const Range aligned = sectorsOfRows(rows, bytes, alignment.step);
  result.leastSectors = always.least;
  result.mostSectors = always.most;
  if (aligned.least == aligned.most) {
    result.sectors = aligned.least;
    if (always.least != always.most)
      result.condition = alignment.str();
  }
  return result;
}

} // namespace heddle::analysis
