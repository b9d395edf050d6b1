// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Races in global memory, for every input.
//
// Within a block: two accesses whose addresses have the same form lead to the same memory just where their constants
// say so. Each form gets a stretch of addresses of its own, and the accesses go, at form's stretch plus constant, to
// the same happens-before engine as those of the dynamic check: barriers, atomics and equal values count there
// as they always do. Two accesses of different forms, or in different iterations of a loop whose length is data, do not
// meet where they were computed from different pointers or StaticOverlap.cpp says so. Else that is undecided.
//
// Between blocks nothing orders, so it is enough to know what a block touches; StaticOverlap.cpp says whether two blocks
// touch the same.
#include "check/StaticGlobal.h"

#include "check/Locations.h"
#include "vm/Lanes.h"
#include "vm/Launch.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <numeric>

namespace heddle::check {

using namespace vm;

namespace {

constexpr uint64_t FirstArena = uint64_t(1) << 52, ArenaBytes = uint64_t(1) << 36;
// Accesses of lanes that are compared: two seconds, and half a gigabyte where no two touch the same. Later ones
// count as accesses that may lead anywhere in their pointer's memory.
constexpr uint64_t MostCompared = 4'000'000;
constexpr size_t MostReasons = 4; // that say the same about other locations

constexpr FormValue Anywhere{Forms::Opaque, 0};

bool isStoring(const AccessEvent &event) { return event.kind != AccessKind::Load; }

/// Atomics, and relaxed accesses, that reach the whole device do not race with each other.
bool isStrong(const AccessEvent &event) {
  const bool ordered = event.kind == AccessKind::Atomic || event.kind == AccessKind::Reduction ||
                       event.ordering > Ordering::Volatile;
  return ordered && (event.scope == Scope::None || event.scope >= Scope::Device);
}

BlockRange rangeOf(const Kernel &kernel, const Knowledge &known) {
  BlockRange range;
  range.grid = known.grid;
  range.mostBlocks = known.mostBlocks;
  using enum ptx::SpecialReg;
  for (const auto &code : kernel.codes)
    for (const ptx::Instr &instr : code->function->instrs)
      for (const ptx::Operand &operand : code->function->operandsOf(instr))
        if (operand.kind == ptx::OperandKind::Special) {
          range.reads[0] |= ptx::SpecialReg(operand.index) == CtaIdX;
          range.reads[1] |= ptx::SpecialReg(operand.index) == CtaIdY;
          range.reads[2] |= ptx::SpecialReg(operand.index) == CtaIdZ;
        }
  return range;
}

template <class T> void sortUnique(std::vector<T> &list) {
  std::ranges::sort(list);
  list.erase(std::unique(list.begin(), list.end()), list.end());
}

} // namespace

// --- one block
// ----------------------------------------------------------------------------------------------------

uint64_t GlobalAccesses::addressOf(FormId form, int64_t offset) {
  if (form == Forms::Constant)
    return uint64_t(offset);
  auto [at, isNew] = arenas.try_emplace(form, 0);
  if (isNew)
    at->second = FirstArena + arenas.size() * ArenaBytes + ArenaBytes / 2;
  return at->second + uint64_t(offset);
}

void GlobalAccesses::note(const ptx::Instr &instr, const AccessEvent &event, uint32_t lanes, bool perhaps) {
  const StaticSteering::GlobalAccess &access = steering.globalAccess();
  Use *use = nullptr;
  eachLane(lanes, [&](unsigned lane) {
    const FormValue &address = compared > MostCompared ? Anywhere : access.address[lane];
    std::array<FormId, Facts::Most> facts;
    Touched::Address first{address.offset};
    facts.fill(Forms::Opaque);
    for (unsigned i = 0; i < access.facts.count && address.form != Forms::Opaque; ++i)
      if (const FormValue &fact = access.facts.atLeastZero[i][lane]; fact.form != Forms::Opaque)
        facts[i] = fact.form, first.facts[i] = fact.offset;
    if (!use || use->form() != address.form || use->touched.facts != facts) {
      use = &uses[{&instr, address.form, facts}];
      use->instr = &instr, use->bases = access.bases;
      use->writes = isStoring(event), use->strong = isStrong(event);
      use->touched.form = address.form, use->touched.facts = facts, use->touched.bytes = event.bytes;
    }
    use->perhaps &= perhaps;
    if (address.form == Forms::Opaque)
      return;
    std::vector<Touched::Address> &addresses = use->touched.addresses;
    addresses.push_back(first);
    if (addresses.size() > 4096 && addresses.size() > 2 * use->tidy) {
      sortUnique(addresses);
      use->tidy = addresses.size();
    }
    if (event.kind != AccessKind::Store)
      return;
    const bool isKnown = access.elements == 1 && !(access.unknownValues >> lane & 1);
    if (!isKnown || (use->value && *use->value != access.values[0][lane]))
      use->valueVaries = true;
    else
      use->value = access.values[0][lane];
  });
}

void GlobalAccesses::access(const WarpRef &warp, SiteRef site, const AccessEvent &event, bool perhaps) {
  const StaticSteering::GlobalAccess &access = steering.globalAccess();
  compared += countLanes(event.mask);
  note(*site.instruction, event, event.mask, perhaps);
  if (compared > MostCompared)
    return;
  uint32_t regular = 0;
  alignas(64) uint64_t addresses[Lanes] = {};
  eachLane(event.mask, [&](unsigned lane) {
    if (access.address[lane].form == Forms::Opaque)
      return;
    regular |= 1u << lane;
    addresses[lane] = addressOf(access.address[lane].form, access.address[lane].offset);
  });
  if (!regular || (perhaps && certain))
    return;
  AccessEvent reported = event;
  reported.mask = regular, reported.addresses = addresses;
  // Orders that fences and flags make depend on who saw whose value; and volatile orders nothing.
  reported.ordering = reported.ordering > Ordering::Volatile ? Ordering::Relaxed : Ordering::Weak;
  // So does which atomics came before one whose result is used.
  if (reported.kind == AccessKind::Atomic)
    reported.kind = AccessKind::Reduction;
  const bool compares = event.kind == AccessKind::Store && event.bytes <= sizeof held[0];
  const bool isKnown = !(access.unknownValues & regular);
  if (compares && (isKnown || certain)) {
    static const uint64_t zeros[Lanes] = {};
    rows.elements = uint8_t(access.elements), rows.registerBytes = 8,
    rows.elementBytes = uint8_t(access.elementBytes);
    for (unsigned e = 0; e < 8; ++e)
      rows.row[e] = reinterpret_cast<const uint8_t *>(isKnown ? access.values[e] : zeros);
    bool allHeld = true;
    eachLane(regular, [&](unsigned lane) {
      heldAt[lane] = held[lane];
      for (unsigned b = 0; b < event.bytes; ++b) {
        const uint8_t fresh = rows.row[b / rows.elementBytes][lane * 8 + b % rows.elementBytes];
        const auto found = contents.find(addresses[lane] + b);
        const bool known =
            found != contents.end() && found->second.known && (!certain || !steering.mayHaveLeft());
        allHeld &= known;
        held[lane][b] = known && isKnown ? found->second.byte : fresh;
      }
    });
    reported.stored = &rows;
    reported.at = allHeld || certain ? heldAt : nullptr;
  }
  engine.access(warp, site, reported);
  if (isStoring(event))
    eachLane(regular, [&](unsigned lane) {
      for (unsigned b = 0; b < event.bytes; ++b) {
        const Content content{compares && isKnown
                                  ? rows.row[b / rows.elementBytes][lane * 8 + b % rows.elementBytes]
                                  : uint8_t(0),
                              compares && isKnown};
        const auto [known, isFirst] = contents.try_emplace(addresses[lane] + b, content);
        // The engine compares with the last store. One that may not happen hides earlier ones: a single other value counts.
        const bool isOther = !isFirst && (!known->second.known || known->second.byte != content.byte);
        known->second = {content.byte, content.known && (certain || !isOther)};
      }
    });
}

/// Whether the two may race where they lead to the same memory; false too where they cannot lead there.
bool GlobalAccesses::mayRace(const Use &a, const Use &b) const {
  if ((!a.writes && !b.writes) || (a.strong && b.strong))
    return false;
  if (!PointerBases::mayAlias(a.bases, b.bases)) {
    assumed.pointersDoNotOverlap = true;
    return false;
  }
  for (const Use *use : {&a, &b})
    if (use->form() != Forms::Opaque && use->form() != Forms::Constant)
      assumed.noOverflow = true;
  return true;
}

std::string GlobalAccesses::describe(const Use &use) const {
  return "memory of " + steering.pointerBases().describe(use.bases, steering.parameterNames());
}

// --- comparisons
// -------------------------------------------------------------------------------------------------

std::vector<GlobalAccesses::Group> GlobalAccesses::groups() const {
  using Key = std::tuple<FormId, std::array<FormId, Facts::Most>, Bases, bool, bool, uint32_t>;
  std::map<Key, Group> found;
  for (const auto &[key, use] : uses) {
    Group &group =
        found[{use.form(), use.touched.facts, use.bases, use.writes, use.strong, use.touched.bytes}];
    if (group.members.empty())
      group.all = use;
    else
      group.all.touched.addresses.insert(group.all.touched.addresses.end(), use.touched.addresses.begin(),
                                         use.touched.addresses.end());
    group.members.push_back(&use);
  }
  std::vector<Group> all;
  for (auto &[key, group] : found) {
    sortUnique(group.all.touched.addresses);
    all.push_back(std::move(group));
  }
  return all;
}

Overlaps GlobalAccesses::meetings(const Kernel &kernel, const Knowledge &known) const {
  return Overlaps(steering.allForms(), rangeOf(kernel, known), [this](Forms::Symbol symbol) {
    return steering.parameterAt(4 * (symbol - Forms::Parameters));
  });
}

Overlaps::Result GlobalAccesses::compare(const Use &a, const Use &b, bool sameBlock,
                                         Overlaps &meetings) const {
  // Where the same form is all there is to it, the happens-before engine compared the two.
  const bool isExact = a.form() == b.form() && a.form() != Forms::Opaque &&
                       !steering.allForms().mentions(a.form(), Forms::Loops, Forms::Registers);
  if (sameBlock && isExact)
    return {};
  if (sameBlock)
    return meetings.withinBlock(a.touched, b.touched);
  for (unsigned k = 0; k < 3; ++k)
    assumed.flatDirections |= unsigned(meetings.blocks().isAssumedFlat(k)) << k;
  return meetings.betweenBlocks(a.touched, b.touched);
}

bool GlobalAccesses::isSettled(const Group &a, const Group &b, bool sameBlock, Overlaps &meetings) const {
  return !mayRace(a.all, b.all) || compare(a.all, b.all, sameBlock, meetings).answer == Overlaps::Answer::No;
}

std::string GlobalAccesses::hintFor(const Overlaps::Result &met) const {
  const std::optional<std::string> name = met.width ? steering.nameOf(*met.width) : std::nullopt;
  return name ? fmt::format("heddle check --static --param {}=VALUE may decide it", *name) : "";
}

namespace {

/// All pairs of the members of two groups, each once.
template <class Groups, class F> void eachPair(const Groups &groups, F use) {
  for (auto a = groups.begin(); a != groups.end(); ++a)
    for (auto b = a; b != groups.end(); ++b)
      use(*a, *b);
}
template <class Group, class F> void eachMember(const Group &a, const Group &b, F use) {
  for (size_t i = 0; i < a.members.size(); ++i)
    for (size_t j = &a == &b ? i : 0; j < b.members.size(); ++j)
      use(*a.members[i], *b.members[j]);
}

} // namespace

std::vector<UndecidedReason> GlobalAccesses::withinBlock(Overlaps &meetings) const {
  std::vector<UndecidedReason> reasons;
  auto member = [&](const Use &one, const Use &other) {
    if (reasons.size() >= MostReasons)
      return;
    const Overlaps::Result met = compare(one, other, true, meetings);
    if (met.answer == Overlaps::Answer::No)
      return;
    const Use &writer = one.writes ? one : other, &partner = one.writes ? other : one;
    UndecidedReason reason;
    reason.location = steering.locationOf(*writer.instr);
    reason.text =
        fmt::format("whether threads write to the same address of {} here {}", describe(writer), met.why);
    if (writer.instr != partner.instr) {
      reason.text =
          fmt::format("whether this write overlaps another access of {} {}", describe(writer), met.why);
      reason.notes.push_back(
          {steering.locationOf(*partner.instr), partner.writes ? "written here" : "read here"});
    }
    reason.hint = hintFor(met);
    reason.properties = setOf(Property::GlobalRacesInBlock);
    reasons.push_back(std::move(reason));
  };
  const std::vector<Group> all = groups();
  eachPair(all, [&](const Group &a, const Group &b) {
    if (reasons.size() < MostReasons && !isSettled(a, b, true, meetings))
      eachMember(a, b, member);
  });
  return reasons;
}

// --- between blocks
// -----------------------------------------------------------------------------------------------

GlobalAccesses::Between GlobalAccesses::betweenBlocks(const Kernel &kernel, const Knowledge &known,
                                                      Overlaps &meetings) const {
  Between result;
  if (known.grid && known.grid->count() == 1)
    return result;
  auto leaveOpen = [&](const Use &a, const Use &b, std::string text, std::string hint) {
    if (result.undecided.size() >= MostReasons)
      return;
    const Use &writer = a.writes ? a : b, &partner = a.writes ? b : a;
    UndecidedReason reason;
    reason.location = steering.locationOf(*writer.instr);
    reason.text = std::move(text);
    if (writer.instr != partner.instr)
      reason.notes.push_back({steering.locationOf(*partner.instr),
                              partner.writes ? "and are written here" : "and are read here"});
    reason.hint = std::move(hint);
    reason.properties = setOf(Property::GlobalRacesBetweenBlocks);
    result.undecided.push_back(std::move(reason));
  };
  auto undecided = [&](const Use &a, const Use &b, const std::string &why, std::string hint) {
    leaveOpen(
        a, b,
        fmt::format("whether two blocks access the same bytes in {} {}", describe(a.writes ? a : b), why),
        std::move(hint));
  };
  auto violated = [&](const Use &one, const Use &other) {
    Finding finding;
    finding.rule = Rule::RaceGlobal;
    finding.kernel = readableKernel(kernel.info.name);
    const Use &writer = one.writes ? one : other, &partner = one.writes ? other : one;
    finding.location = steering.locationOf(*writer.instr);
    finding.text = fmt::format("{} is written here by one block and {} by another; nothing orders the two",
                               describe(writer), partner.writes ? "written" : "read");
    finding.notes.push_back({steering.locationOf(*partner.instr), partner.writes
                                                                      ? "written here by another block"
                                                                      : "read here by another block"});
    finding.hint = &one == &other ? "one statement writes the same element from several blocks: give each "
                                    "block its own element, or "
                                    "use an atomic"
                                  : "blocks run in any order: use an atomic, a fence with a flag, a "
                                    "grid-wide sync, or two launches";
    result.findings.push_back(std::move(finding));
  };
  auto member = [&](const Use &one, const Use &other) {
    const bool bothKnown = one.value && other.value && !one.valueVaries && !other.valueVaries;
    // A value that is known of one block may be another one in another block.
    if (!known.blockId && bothKnown && *one.value == *other.value && one.touched.bytes == other.touched.bytes)
      return;
    if (known.blockId)
      return undecided(one, other, "is not checked: one block is selected",
                       "heddle check --static without --ctaid checks all blocks");
    const Overlaps::Result met = compare(one, other, false, meetings);
    if (met.answer == Overlaps::Answer::No)
      return;
    const bool isMet = met.answer == Overlaps::Answer::Yes && met.isExact && !one.perhaps && !other.perhaps;
    const bool mayBeEqual = one.writes && other.writes && !bothKnown;
    if (isMet && known.grid && !mayBeEqual)
      return violated(one, other);
    if (isMet && known.grid)
      return leaveOpen(one, other,
                       fmt::format("two blocks write to the same bytes in {}, with values that are not known "
                                   "to be equal",
                                   describe(one)),
                       "give each block its own elements, or use an atomic");
    if (met.answer == Overlaps::Answer::Yes && !known.grid)
      return undecided(one, other, isMet ? "depends on the grid" : "depends on the grid and on data",
                       std::string(GridHint));
    const bool mayNotHappen = met.isExact && (one.perhaps || other.perhaps);
    undecided(one, other, mayNotHappen ? "depends on data" : met.why, mayNotHappen ? "" : hintFor(met));
  };
  const std::vector<Group> all = groups();
  eachPair(all, [&](const Group &a, const Group &b) {
    const bool isSettledAtOnce = known.blockId ? !mayRace(a.all, b.all) : isSettled(a, b, false, meetings);
    if (!isSettledAtOnce && (known.grid || result.undecided.size() < MostReasons))
      eachMember(a, b, member);
  });
  return result;
}

// --- names
// -------------------------------------------------------------------------------------------------------

/// "byte 64 * blockIdx.x + 8 of memory of parameter 'a'".
std::string GlobalAccesses::byteName(const Use &use, int64_t offset) const {
  std::string index;
  unsigned pointers = 0;
  bool isNamed = true;
  auto isPointer = [&](Forms::Symbol symbol) {
    const unsigned word = symbol - Forms::Parameters;
    return symbol >= Forms::Parameters && symbol < Forms::Loops && word % 2 == 0 && word / 2 < 63 &&
           (use.bases >> (word / 2) & 1);
  };
  for (const auto &[monomial, coefficient] : steering.allForms().of(use.form())) {
    std::string product = coefficient == 1 ? "" : std::to_string(coefficient);
    for (Forms::Symbol symbol : monomial) {
      const std::optional<std::string> name = steering.nameOf(symbol);
      isNamed &= name.has_value();
      product += (product.empty() ? "" : " * ") + name.value_or("");
    }
    if (monomial.size() == 1 && coefficient == 1 && isPointer(monomial.front()))
      ++pointers;
    else
      index += (index.empty() ? "" : " + ") + product;
  }
  if (!isNamed || pointers != 1)
    return fmt::format("byte {}, counted from an address that the threads of the block have in common, in {}",
                       offset, describe(use));
  if (offset || index.empty())
    index += fmt::format("{}{}",
                         index.empty() ? (offset < 0 ? "-" : "")
                         : offset < 0  ? " - "
                                       : " + ",
                         offset < 0 ? -offset : offset);
  return fmt::format("byte {} of {}", index, describe(use));
}

void GlobalAccesses::nameMemory(Finding &finding) const {
  constexpr std::string_view Marker = "global memory at 0x";
  const size_t at = finding.text.find(Marker);
  if (at == std::string::npos)
    return;
  const size_t digits = at + Marker.size();
  size_t end = digits;
  while (end < finding.text.size() && std::isxdigit(static_cast<unsigned char>(finding.text[end])))
    ++end;
  const uint64_t address = std::stoull(finding.text.substr(digits, end - digits), nullptr, 16);
  for (const auto &[form, arena] : arenas)
    if (address >= arena - ArenaBytes / 2 && address < arena + ArenaBytes / 2)
      for (const auto &[key, use] : uses)
        if (use.form() == form) {
          finding.text.replace(at, end - at, byteName(use, int64_t(address - arena)));
          return;
        }
}

} // namespace heddle::check
