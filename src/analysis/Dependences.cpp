// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For each pair of accesses to the same array, at least one of them a write:
//
//   1. Order says in which ways two threads can execute them with no barrier between (same iteration,
//   neighbouring
//      iterations...). For each way isl is asked whether two different threads can touch a common byte then.
//      If so, nothing orders them: a race, unless both are atomic.
//   2. If not, isl is asked the same without any relation of iterations. If so, a barrier orders them: a
//   dependence
//      that a transform has to keep.
//
// Accesses that agree in array, form, region, loop and guards are one group and asked about once. A question
// that takes isl too long, or that it cannot be asked (no affine form), is answered 'may'.
#include "analysis/Dependences.h"

#include "analysis/Overlap.h"

#include <algorithm>
#include <tuple>

namespace heddle::analysis {
namespace {

using DependenceKind = Dependence::Kind;

struct Answer {
  enum class Verdict { No, May, Yes } verdict = Verdict::No;
  std::string reason;
  std::array<std::optional<int64_t>, 3> distance;
  std::array<std::optional<int>, 3> direction;
};

bool isPrivate(const Array &array) {
  return array.space == Array::Space::Local || array.space == Array::Space::Constant;
}

std::optional<int> signOf(std::optional<int64_t> least, std::optional<int64_t> largest) {
  if (least && *least > 0)
    return 1;
  if (largest && *largest < 0)
    return -1;
  if (least && largest && *least == 0 && *largest == 0)
    return 0;
  return std::nullopt;
}

bool mentionsParameter(const Condition &condition) {
  auto isParameter = [](const Symbol &symbol) {
    return symbol.kind == SymbolKind::Parameter || symbol.kind == SymbolKind::Uniform;
  };
  return condition.form.mentionsAny(isParameter) ||
         std::any_of(condition.parts.begin(), condition.parts.end(), mentionsParameter);
}

/// Whether it is executed is up to a value that the caller gives.
bool dependsOnParameter(const Access &access) {
  for (const Guard *guard = access.guards.get(); guard; guard = guard->outer.get())
    if (mentionsParameter(guard->condition))
      return true;
  return false;
}

} // namespace

const char *nameOf(DependenceKind kind) {
  switch (kind) {
  case DependenceKind::Flow: return "flow";
  case DependenceKind::Anti: return "anti";
  case DependenceKind::Output: return "output";
  }
  return "";
}

class DependenceFinder {
public:
  DependenceFinder(const Accesses &theAccesses, const DependenceLimits &theLimits)
      : accesses(theAccesses), limits(theLimits), order(theAccesses) {}

  Dependences run() {
    group();
    // Shared memory first: it is what barriers are for, and what transforms ask about.
    std::vector<std::vector<unsigned>> buckets = byArray();
    for (const std::vector<unsigned> &bucket : buckets)
      pairsOf(bucket);
    for (size_t i = 0; i < buckets.size(); ++i)
      for (size_t j = i + 1; j < buckets.size(); ++j)
        otherArrays(buckets[i], buckets[j]);
    if (skipped)
      result.leftOutText =
          fmt::format("{} pairs of accesses were not analyzed and are taken to depend", skipped);
    return std::move(result);
  }

private:
  void group();
  void pair(unsigned first, unsigned second);
  std::vector<std::vector<unsigned>> byArray() const;
  void pairsOf(const std::vector<unsigned> &bucket);
  void otherArrays(const std::vector<unsigned> &first, const std::vector<unsigned> &second);
  const std::vector<RegionPair> &pairsOf(unsigned first, unsigned second, bool warpBarriers);
  void add(unsigned first, unsigned second, const Answer &answer, bool isOrdered);
  Answer unordered(const Access &p, const Access &q, bool isSelf);
  Answer ask(const Access &p, const Access &q, const RegionPair &pair, bool sameWarpOrdered, bool isSelf);
  bool staysInRow(const Access &access, const Polynomial &index, const Polynomial &length);
  bool blockIsKnown() const {
    for (unsigned d = 0; d < 3; ++d)
      if (accesses.usesThreadDimension(d) && !accesses.launch().block[d])
        return false;
    return true;
  }
  void allow() { context.allow(limits.operationsPerQuestion); }

  const Accesses &accesses;
  DependenceLimits limits;
  Order order;
  IslContext context;
  Dependences result;
  unsigned asked = 0;
  unsigned long spent = 0; ///< isl operations, as far as questions ran into their limit
  size_t skipped = 0;
  std::map<std::tuple<unsigned, unsigned, bool>, std::vector<RegionPair>> pairsKnown;
  std::map<std::string, bool> rowsKnown;
};

void DependenceFinder::group() {
  std::map<std::string, unsigned> known;
  const std::vector<Access> &all = accesses.all();
  for (unsigned i = 0; i < all.size(); ++i) {
    const Access &access = all[i];
    if (isPrivate(*access.array))
      continue;
    std::string key =
        fmt::format("{} {} {} {} {} {} {}", static_cast<const void *>(access.array), int(access.kind),
                    access.bytes, access.region, static_cast<const void *>(access.loop),
                    static_cast<const void *>(access.guards.get()), access.address.str());
    auto [at, isNew] = known.try_emplace(key, unsigned(result.groupList.size()));
    if (isNew)
      result.groupList.emplace_back();
    result.groupList[at->second].push_back(i);
  }
}

/// First accesses of the groups, by array, shared arrays first.
std::vector<std::vector<unsigned>> DependenceFinder::byArray() const {
  std::map<std::pair<bool, unsigned>, std::vector<unsigned>> buckets;
  std::map<const Array *, unsigned> number;
  for (const std::vector<unsigned> &group : result.groupList) {
    const Array *array = accesses.all()[group.front()].array;
    unsigned n = number.try_emplace(array, unsigned(number.size())).first->second;
    buckets[{array->space != Array::Space::Shared, n}].push_back(group.front());
  }
  std::vector<std::vector<unsigned>> list;
  for (auto &bucket : buckets)
    list.push_back(std::move(bucket.second));
  return list;
}

void DependenceFinder::pairsOf(const std::vector<unsigned> &bucket) {
  auto isWrite = [&](unsigned access) { return accesses.all()[access].isWrite(); };
  for (size_t i = 0; i < bucket.size(); ++i)
    for (size_t j = i; j < bucket.size(); ++j) {
      if (!isWrite(bucket[i]) && !isWrite(bucket[j]))
        continue;
      if (asked < limits.pairs && spent < limits.operations) {
        pair(bucket[i], bucket[j]);
        continue;
      }
      // Out of time: one dependence represents all that is left of this array.
      size_t writes = size_t(std::count_if(bucket.begin() + long(i), bucket.end(), isWrite));
      skipped += writes * (bucket.size() - i);
      Answer assumed{Answer::Verdict::May, "not analyzed: too many pairs of accesses", {}, {}};
      add(bucket[i], bucket[j], assumed, false);
      return;
    }
}

void DependenceFinder::pair(unsigned first, unsigned second) {
  const Access &p = accesses.all()[first], &q = accesses.all()[second];
  ++asked;
  bool isSelf = first == second;
  Answer race = unordered(p, q, isSelf);
  if (race.verdict == Answer::Verdict::Yes) {
    add(first, second, race, false);
    return;
  }
  Answer any = accesses.barriers() ? ask(p, q, {}, false, isSelf) : race;
  // A race that cannot be excluded is one more reason to keep them apart; it is reported as such.
  if (race.verdict == Answer::Verdict::May)
    add(first, second, race, false);
  else if (any.verdict != Answer::Verdict::No)
    add(first, second, any, true);
}

/// Different arrays: parameters are taken not to overlap, an unknown pointer may point anywhere in its space.
void DependenceFinder::otherArrays(const std::vector<unsigned> &first, const std::vector<unsigned> &second) {
  const Array &a = *accesses.all()[first.front()].array, &b = *accesses.all()[second.front()].array;
  auto mayBeIn = [](const Array &unknown, const Array &other) {
    return !unknown.decl && (unknown.space == Array::Space::Unknown || other.space == Array::Space::Unknown ||
                             unknown.space == other.space);
  };
  auto firstOf = [&](const std::vector<unsigned> &bucket, bool write) -> std::optional<unsigned> {
    for (unsigned access : bucket)
      if (!write || accesses.all()[access].isWrite())
        return access;
    return std::nullopt;
  };
  bool aWrites = firstOf(first, true).has_value(), bWrites = firstOf(second, true).has_value();
  if (!aWrites && !bWrites)
    return;
  if (mayBeIn(a, b) || mayBeIn(b, a)) {
    const Array &unknown = a.decl ? b : a;
    Answer may{Answer::Verdict::May, fmt::format("where this points is not known: {}", unknown.name), {}, {}};
    unsigned p = *firstOf(first, aWrites), q = *firstOf(second, !aWrites);
    bool isOrdered = true; // only if a barrier is between all of them
    for (unsigned x : first)
      for (unsigned y : second)
        isOrdered = isOrdered && pairsOf(accesses.all()[x].region, accesses.all()[y].region, false).empty();
    add(p, q, may, isOrdered);
    return;
  }
  if (a.space == Array::Space::Global && b.space == Array::Space::Global && !(a.isRestrict || b.isRestrict))
    result.assumptionList.push_back(fmt::format("'{}' and '{}' do not overlap", a.name, b.name));
}

const std::vector<RegionPair> &DependenceFinder::pairsOf(unsigned first, unsigned second, bool warpBarriers) {
  auto [at, isNew] = pairsKnown.try_emplace({first, second, warpBarriers});
  if (isNew)
    at->second = order.pairs(first, second, warpBarriers);
  return at->second;
}

Answer DependenceFinder::unordered(const Access &p, const Access &q, bool isSelf) {
  const std::vector<RegionPair> &pairs = pairsOf(p.region, q.region, false);
  bool sameWarpOrdered = !pairs.empty() && pairsOf(p.region, q.region, true).empty();
  Answer worst;
  for (const RegionPair &pair : pairs) {
    Answer one = ask(p, q, pair, sameWarpOrdered, isSelf);
    if (one.verdict > worst.verdict)
      worst = one;
    if (worst.verdict == Answer::Verdict::Yes)
      break;
  }
  return worst;
}

bool DependenceFinder::staysInRow(const Access &access, const Polynomial &index, const Polynomial &length) {
  std::string key = fmt::format("{} {}", static_cast<const void *>(&access), index.str());
  key += " in " + length.str();
  if (auto at = rowsKnown.find(key); at != rowsKnown.end())
    return at->second;
  allow();
  PairSystem system(accesses, {});
  bool ignored = false;
  Formula domain = system.domain(access, 0, ignored);
  LinearForm location = system.linear(index, 0);
  Formula outside = Formula::any({below(location), Formula::atLeast(location - system.linear(length, 0))});
  Formula facts = system.facts();
  IslSet set = system.solve(Formula::all({facts, domain, outside}), context);
  return rowsKnown[key] = set.isEmpty().value_or(false);
}

Answer DependenceFinder::ask(const Access &p, const Access &q, const RegionPair &pair, bool sameWarpOrdered,
                             bool isSelf) {
  using Verdict = Answer::Verdict;
  std::vector<const Loop *> equal;
  for (const auto &[loop, relation] : pair.loops)
    if (relation == Relation::Equal)
      equal.push_back(loop);
  allow();
  PairSystem system(accesses, equal);
  bool sawUnknown = false;
  // The two instances are not the same thread's; of a pair that is one access twice, look at one order only.
  Formula base =
      Formula::all({system.domain(p, 0, sawUnknown), system.domain(q, 1, sawUnknown), system.relation(pair),
                    isSelf ? system.threadOrder() : system.threadsDiffer()});
  if (sameWarpOrdered)
    base.parts.push_back(system.warpsDiffer());

  std::string reason;
  Overlap touch;
  if (!p.address || !q.address) {
    reason = !p.address ? p.address.why().str() : q.address.why().str();
    touch.exact = Formula::never();
    touch.may = Formula::always();
  } else {
    touch = overlap(system, p, q, [&](const Polynomial &index, const Polynomial &length, unsigned side) {
      return staysInRow(side ? q : p, index, length);
    });
    if (!touch.unknownLength.empty())
      reason = fmt::format("an index may leave its row of '{}' elements", touch.unknownLength);
    allow();
  }
  Formula facts = system.facts();
  IslSet certain = system.solve(Formula::all({facts, base, touch.exact}), context);
  std::optional<bool> isEmpty = certain.isEmpty();
  if (isEmpty == false && !blockIsKnown()) {
    // Of a block that is not known, take one that stays inside the rows of its tiles before crying race.
    Formula inside = Formula::all({system.insideRows(p, 0), system.insideRows(q, 1)});
    facts = system.facts();
    certain = system.solve(Formula::all({facts, base, touch.exact, inside}), context);
    if (certain.isEmpty() != false)
      return {
          Verdict::May, fmt::format("the block may be larger than the rows of '{}'", p.array->name), {}, {}};
  }
  if (isEmpty == false && (dependsOnParameter(p) || dependsOnParameter(q))) {
    // Where a size of the caller's decides how far a row is filled, take one that fits before crying race.
    Formula inside = Formula::all({system.insideWrittenRows(p, 0), system.insideWrittenRows(q, 1)});
    facts = system.facts();
    if (system.solve(Formula::all({facts, base, touch.exact, inside}), context).isEmpty() == true)
      return {Verdict::May, fmt::format("an index may leave its row of '{}'", p.array->name), {}, {}};
  }
  if (isEmpty == false) {
    Answer yes{sawUnknown ? Verdict::May : Verdict::Yes,
               sawUnknown ? "under a condition that is not known" : "",
               {},
               {}};
    context.allow(limits.operationsPerQuestion / 10); // the verdict is; distances are a service
    for (unsigned d = 0; d < 3; ++d) {
      LinearForm distance = system.thread(1, d) - system.thread(0, d);
      auto least = certain.least(distance), largest = certain.largest(distance);
      if (least && largest && *least == *largest)
        yes.distance[d] = least;
      yes.direction[d] = signOf(least, largest);
    }
    return yes;
  }
  if (!isEmpty) {
    spent += limits.operationsPerQuestion;
    return {Verdict::May, "the dependence test exceeded its limit", {}, {}};
  }
  if (reason.empty())
    return {};
  IslSet possible = system.solve(Formula::all({facts, base, touch.may}), context);
  if (possible.isEmpty() == true)
    return {};
  return {Verdict::May, reason, {}, {}};
}

void DependenceFinder::add(unsigned first, unsigned second, const Answer &answer, bool isOrdered) {
  const Access &p = accesses.all()[first], &q = accesses.all()[second];
  auto emit = [&](unsigned source, unsigned sink, bool turned) {
    const Access &from = accesses.all()[source], &to = accesses.all()[sink];
    Dependence dependence;
    // An atomic both reads and writes: as a source it writes, as a sink of a write it reads.
    dependence.kind =
        from.isWrite() ? (to.isRead() ? DependenceKind::Flow : DependenceKind::Output) : DependenceKind::Anti;
    dependence.source = source;
    dependence.sink = sink;
    dependence.isOrdered = isOrdered;
    dependence.isAtomic = from.kind == Access::Kind::Atomic && to.kind == Access::Kind::Atomic;
    dependence.isCertain = answer.verdict == Answer::Verdict::Yes;
    dependence.reason = answer.reason;
    for (unsigned d = 0; d < 3; ++d) {
      if (answer.distance[d])
        dependence.distance[d] = turned ? -*answer.distance[d] : *answer.distance[d];
      if (answer.direction[d])
        dependence.direction[d] = turned ? -*answer.direction[d] : *answer.direction[d];
    }
    result.list.push_back(dependence);
  };
  if (!isOrdered) {
    emit(first, second, false);
    return;
  }
  if (order.mayPrecede(p.region, q.region))
    emit(first, second, false);
  if (first != second && order.mayPrecede(q.region, p.region))
    emit(second, first, true);
}

Dependences Dependences::of(const Accesses &accesses, const DependenceLimits &limits) {
  return DependenceFinder(accesses, limits).run();
}

std::vector<const Dependence *> Dependences::races() const {
  std::vector<const Dependence *> found;
  for (const Dependence &one : list)
    if (one.isRace() && one.isCertain)
      found.push_back(&one);
  return found;
}

std::vector<Diagnostic> raceReports(const Accesses &accesses, const Dependences &dependences) {
  std::vector<Diagnostic> reports;
  for (const Dependence *race : dependences.races()) {
    const Access &a = accesses.all()[race->source], &b = accesses.all()[race->sink];
    Diagnostic report{Severity::Warning, b.location, "", {}, {}};
    report.text =
        a.location.line == b.location.line && &a == &b
            ? fmt::format("two threads {} the same element of '{}' here with no barrier between them",
                          b.kind == Access::Kind::Write ? "write" : "change", b.array->name)
            : fmt::format("{} of '{}' and another thread's {} of it are not ordered by a barrier",
                          nameOf(b.kind), b.array->name, nameOf(a.kind));
    if (&a != &b)
      report.note(a.location, fmt::format("the {} is here", nameOf(a.kind)));
    reports.push_back(std::move(report));
  }
  return reports;
}

} // namespace heddle::analysis
