// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// References of one array whose addresses differ by something that is the same for the whole launch touch the
// same elements in turn ("uniformly generated sets"): if thread t loads address c*t + a and c*t + b, then with
// c*d = a - b thread t + d loads by the second what thread t loads by the first. c, a and b may hold parameters:
// rows of `width` elements that are 2*width apart are 2 threads apart.
// Of guards only those count that let at most one thread along a dimension pass (threadIdx.x == 0): what it loads is not
// shared with others. Else the reuse is what the inner threads have, not those at the edge.
#include "analysis/Reuse.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <set>

namespace heddle::analysis {
namespace {

/// Each reference is compared with so many that follow it in its set: generated code has thousands.
constexpr size_t partners = 64;

bool isCounted(const Access &access) {
  return access.kind == Access::Kind::Read && access.address &&
         (access.array->space == Array::Space::Shared || access.array->space == Array::Space::Global);
}

/// At most one thread along the dimension passes.
bool passesOne(const Condition &condition, const Symbol *thread) {
  if (condition.kind == Condition::Kind::And)
    return std::ranges::any_of(condition.parts,
                               [&](const Condition &part) { return passesOne(part, thread); });
  if (condition.kind != Condition::Kind::Equal && condition.kind != Condition::Kind::AtLeast)
    return false;
  const auto coefficient = condition.form.coefficient(thread);
  const auto step = coefficient ? coefficient->constant() : std::nullopt;
  if (!step || *step == 0)
    return false;
  const Polynomial rest = condition.form - Polynomial(*step) * Polynomial(thread);
  if (condition.kind == Condition::Kind::Equal)
    return !rest.dependsOnThread(thread->dimension);
  return *step < 0 && rest.constant() && *rest.constant() < -*step; // threadIdx.x < 1
}

/// A product of numbers that are the same for the whole launch.
bool isOfLaunch(const Monomial &product) {
  return std::ranges::all_of(product, [](const Symbol *factor) {
    return factor->kind == SymbolKind::Parameter || factor->kind == SymbolKind::BlockDim ||
           factor->kind == SymbolKind::GridDim;
  });
}

/// The terms that differ between threads, blocks or iterations: references that agree in them form a set.
std::string setKey(const Access &access) {
  std::string varying;
  for (const auto &[product, coefficient] : access.address->terms())
    if (!isOfLaunch(product)) {
      Polynomial term(coefficient);
      for (const Symbol *factor : product)
        term = term * Polynomial(factor);
      varying += term.str() + " ";
    }
  return fmt::format("{} {} {} {} {}", static_cast<const void *>(access.array), access.bytes, access.region,
                     static_cast<const void *>(access.loop), varying);
}

bool isInBlock(const Accesses &accesses, unsigned dimension, int64_t distance) {
  const std::optional<int64_t> extent = accesses.launch().block[dimension];
  return !extent || std::abs(distance) < *extent;
}

/// True where thread t + distance really touches by the first reference what thread t touches by the second,
/// `iterations` of a loop later: rows of an array are not taken for one another (tile[y][x + 15] is no
/// tile[y + 1][x]).
bool haveEqualSubscripts(const Accesses &accesses, const Access &first, const Access &second,
                         unsigned dimension, int64_t distance, const Symbol *counter = nullptr,
                         int64_t iterations = 0) {
  if (first.subscripts.size() < 2 || first.subscripts.size() != second.subscripts.size())
    return true;
  const auto moved = [&](const Polynomial &form, const Symbol *symbol, int64_t by) {
    return symbol ? form.substituted(symbol, Polynomial(symbol) + Polynomial(by), &accesses.symbols()) : form;
  };
  const Symbol *thread = accesses.symbols().threadIdx(dimension);
  for (size_t i = 0; i < first.subscripts.size(); ++i) {
    if (!first.subscripts[i] || !second.subscripts[i])
      return false;
    if (!(moved(*first.subscripts[i], thread, distance) == moved(*second.subscripts[i], counter, iterations)))
      return false;
  }
  return true;
}

/// a[tid + i]: the next thread's element is this thread's of a later iteration, if there are so many.
void addThroughLoops(const Accesses &accesses, unsigned number, unsigned dimension,
                     std::vector<Reuse> &list) {
  const Access &access = accesses.all()[number];
  const auto perThread = access.address->coefficient(accesses.symbols().threadIdx(dimension));
  if (!perThread || !isInBlock(accesses, dimension, 1))
    return;
  for (const Loop *loop = access.loop; loop; loop = loop->parent) {
    const auto perIteration = access.address->coefficient(loop->counter);
    const auto iterations = perIteration ? perThread->multipleOf(*perIteration) : std::nullopt;
    if (!iterations || *iterations == 0 || (loop->trips && *loop->trips <= std::abs(*iterations)) ||
        !haveEqualSubscripts(accesses, access, access, dimension, 1, loop->counter, *iterations))
      continue;
    list.push_back({Reuse::Kind::Group, number, number, dimension, 1, *iterations, loop->trips.has_value()});
  }
}

} // namespace

bool isOfOneThread(const Access &access, const Symbol *thread) {
  for (const Guard *guard = access.guards.get(); guard; guard = guard->outer.get())
    if (passesOne(guard->condition, thread))
      return true;
  return false;
}

const char *nameOf(Reuse::Kind kind) {
  return kind == Reuse::Kind::Self ? "self-temporal" : "group-temporal";
}

InterThreadReuse InterThreadReuse::of(const Accesses &accesses) {
  InterThreadReuse result;
  result.accesses = &accesses;
  // In the order of their first access: keys hold addresses, which differ from run to run.
  std::vector<std::vector<unsigned>> sets;
  std::map<std::string, size_t> numberOf;
  for (unsigned i = 0; i < accesses.all().size(); ++i) {
    const Access &access = accesses.all()[i];
    if (!isCounted(access))
      continue;
    const size_t number = numberOf.try_emplace(setKey(access), sets.size()).first->second;
    sets.resize(numberOf.size());
    sets[number].push_back(i);
    for (unsigned d = 0; d < 3; ++d) {
      if (!accesses.usesThreadDimension(d) || isOfOneThread(access, accesses.symbols().threadIdx(d)))
        continue;
      if (!access.address->dependsOnThread(d)) {
        if (isInBlock(accesses, d, 1))
          result.list.push_back({Reuse::Kind::Self, i, i, d, 0, 0});
        continue;
      }
      addThroughLoops(accesses, i, d, result.list);
    }
  }
  for (const std::vector<unsigned> &set : sets)
    for (size_t a = 0; a < set.size(); ++a)
      for (size_t b = a + 1; b < std::min(set.size(), a + 1 + partners); ++b) {
        const Access &first = accesses.all()[set[a]], &second = accesses.all()[set[b]];
        const Polynomial apart = *second.address - *first.address;
        for (unsigned d = 0; d < 3; ++d) {
          const Symbol *thread = accesses.symbols().threadIdx(d);
          const auto perThread = first.address->coefficient(thread);
          const auto distance = perThread ? apart.multipleOf(*perThread) : std::nullopt;
          if (distance && *distance != 0 && isInBlock(accesses, d, *distance) &&
              haveEqualSubscripts(accesses, first, second, d, *distance) && !isOfOneThread(first, thread) &&
              !isOfOneThread(second, thread))
            result.list.push_back({Reuse::Kind::Group, set[a], set[b], d, *distance, 0});
        }
      }
  return result;
}

bool InterThreadReuse::isAlong(unsigned dimension) const {
  for (const Reuse &one : list)
    if (one.dimension == dimension)
      return true;
  return false;
}

std::vector<const Reuse *> InterThreadReuse::ofAccess(unsigned access) const {
  std::vector<const Reuse *> found;
  for (const Reuse &one : list)
    if (one.first == access || one.second == access)
      found.push_back(&one);
  return found;
}

std::optional<LoadCount> InterThreadReuse::loads(Array::Space space, unsigned dimension, int64_t factor,
                                                 Map map) const {
  std::optional<int64_t> extent = accesses->launch().block[dimension];
  if (map == Map::Interleaved && (!extent || *extent % factor != 0))
    return std::nullopt;
  const int64_t apart = map == Map::Blocked ? 1 : *extent / factor;
  const Symbol *thread = accesses->symbols().threadIdx(dimension);
  LoadCount count;
  std::set<std::string> elements;
  for (const Access &access : accesses->all()) {
    if (access.kind != Access::Kind::Read || access.array->space != space || isOfOneThread(access, thread))
      continue;
    count.before += factor;
    for (int64_t merged = 0; merged < factor; ++merged) {
      if (!access.address) { // nothing is known to be the same
        ++count.after;
        continue;
      }
      Polynomial there = access.address->substituted(thread, Polynomial(thread) + Polynomial(merged * apart),
                                                     &accesses->symbols());
      elements.insert(fmt::format("{} {} {} {} {}", static_cast<const void *>(access.array), access.bytes,
                                  access.region, static_cast<const void *>(access.loop), there.str()));
    }
  }
  count.after += int64_t(elements.size());
  return count;
}

} // namespace heddle::analysis
