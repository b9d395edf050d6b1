// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// References of one array whose addresses differ by a constant touch the same elements in turn ("uniformly
// generated sets"): if thread t loads address c*t + a and c*t + b, then with c*d = a - b thread t + d loads
// by the second what thread t loads by the first. All that is asked here is arithmetic on the constants.
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

bool isOfOneThread(const Access &access, const Symbol *thread) {
  for (const Guard *guard = access.guards.get(); guard; guard = guard->outer.get())
    if (passesOne(guard->condition, thread))
      return true;
  return false;
}

/// Everything of the form but its constant: references that agree in it form a set.
std::string setKey(const Access &access) {
  Polynomial withoutConstant = *access.address - Polynomial(access.address->constantTerm());
  return fmt::format("{} {} {} {} {}", static_cast<const void *>(access.array), access.bytes, access.region,
                     static_cast<const void *>(access.loop), withoutConstant.str());
}

/// True where thread t + distance really touches by the first reference what thread t touches by the second:
/// the block is wide enough, and rows of an array are not taken for one another (tile[y][x + 15] is no tile[y
/// + 1][x]).
bool isPossible(const Accesses &accesses, const Access &first, const Access &second, unsigned dimension,
                int64_t distance) {
  std::optional<int64_t> extent = accesses.launch().block[dimension];
  if (extent && std::abs(distance) >= *extent)
    return false;
  if (first.subscripts.size() < 2 || first.subscripts.size() != second.subscripts.size())
    return true;
  const Symbol *thread = accesses.symbols().threadIdx(dimension);
  for (size_t i = 0; i < first.subscripts.size(); ++i) {
    if (!first.subscripts[i] || !second.subscripts[i])
      return false;
    Polynomial moved = first.subscripts[i]->substituted(thread, Polynomial(thread) + Polynomial(distance),
                                                        &accesses.symbols());
    if (!(moved == *second.subscripts[i]))
      return false;
  }
  return true;
}

} // namespace

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
        result.list.push_back({Reuse::Kind::Self, i, i, d, 0, 0});
        continue;
      }
      // a[tid + i]: the next thread's element is this thread's of the next iteration.
      auto perThread = access.address->coefficient(accesses.symbols().threadIdx(d));
      for (const Loop *loop = access.loop; loop && perThread && perThread->constant(); loop = loop->parent) {
        auto perIteration = access.address->coefficient(loop->counter);
        auto step = perIteration ? perIteration->constant() : std::nullopt;
        if (step && *step != 0 && *perThread->constant() % *step == 0)
          result.list.push_back({Reuse::Kind::Group, i, i, d, 1, *perThread->constant() / *step});
      }
    }
  }
  for (const std::vector<unsigned> &set : sets)
    for (size_t a = 0; a < set.size(); ++a)
      for (size_t b = a + 1; b < std::min(set.size(), a + 1 + partners); ++b) {
        const Access &first = accesses.all()[set[a]], &second = accesses.all()[set[b]];
        int64_t apart = second.address->constantTerm() - first.address->constantTerm();
        for (unsigned d = 0; d < 3; ++d) {
          const Symbol *thread = accesses.symbols().threadIdx(d);
          auto perThread = first.address->coefficient(thread);
          auto step = perThread ? perThread->constant() : std::nullopt;
          if (apart != 0 && step && *step != 0 && apart % *step == 0 &&
              isPossible(accesses, first, second, d, apart / *step) && !isOfOneThread(first, thread) &&
              !isOfOneThread(second, thread))
            result.list.push_back({Reuse::Kind::Group, set[a], set[b], d, apart / *step, 0});
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
