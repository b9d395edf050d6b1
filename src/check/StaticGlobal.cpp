// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Races in global memory, for every input.
//
// Within a block: two accesses whose addresses have the same form lead to the same memory just where their constants
// say so. Each form gets a stretch of addresses of its own, and the accesses go, at form's stretch plus constant, to
// the same happens-before engine as those of the dynamic check: barriers, atomics and equal values count there
// as they always do. Two accesses of different forms are taken apart where they were computed from different
// pointers. Else they may meet, and that is undecided.
//
// Between blocks nothing orders, so it is enough to know what a block touches: for each instruction and form the
// bytes, as runs (lo + stride i + r). With F and G linear in blockIdx and equal otherwise,
//
//     F(b) + x = G(b')+ y,   b != b',   x touched by the one, y by the other
//
// is a system of linear equations and inequalities over integers; isl says whether it has a solution. blockIdx
// goes as far as the grid, and without end where the grid is not known. Dimensions of the grid that the kernel
// does not read are taken to be 1, unless it reads none.
#include "check/StaticGlobal.h"

#include "check/Places.h"
#include "vm/Lanes.h"
#include "vm/Launch.h"

#include <fmt/format.h>
#include <isl/constraint.h>
#include <isl/ctx.h>
#include <isl/options.h>
#include <isl/set.h>
#include <isl/space.h>

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
constexpr size_t MostReasons = 4;             // that say the same of other places
constexpr size_t MostRuns = 24;               // beyond, their hull is compared
constexpr unsigned long MostWork = 2'000'000; // of isl for one question: about a tenth of a second

constexpr FormValue Anywhere{Forms::Opaque, 0};

bool isWrite(const AccessEvent &event) { return event.kind != AccessKind::Load; }

/// Atomics, and relaxed accesses, that reach the whole device do not race with each other.
bool isStrong(const AccessEvent &event) {
  const bool ordered = event.kind == AccessKind::Atomic || event.kind == AccessKind::Reduction ||
                       event.ordering > Ordering::Volatile;
  return ordered && (event.scope == Scope::None || event.scope >= Scope::Device);
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
    if (!use || use->form != address.form) {
      use = &uses[{&instr, address.form}];
      use->instr = &instr, use->form = address.form, use->bases = access.bases;
      use->writes = isWrite(event), use->strong = isStrong(event), use->bytes = event.bytes;
    }
    use->perhaps &= perhaps;
    if (address.form == Forms::Opaque)
      return;
    use->offsets.push_back(address.offset);
    if (use->offsets.size() > 4096 && use->offsets.size() > 2 * use->tidy) {
      sortUnique(use->offsets);
      use->tidy = use->offsets.size();
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
  AccessEvent told = event;
  told.mask = regular, told.addresses = addresses;
  // Orders that fences and flags make depend on who saw whose value; and volatile orders nothing.
  told.ordering = told.ordering > Ordering::Volatile ? Ordering::Relaxed : Ordering::Weak;
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
        const bool known = found != contents.end() && found->second.known;
        allHeld &= known;
        held[lane][b] = known && isKnown ? found->second.byte : fresh;
      }
    });
    told.stored = &rows;
    told.at = allHeld || certain ? heldAt : nullptr;
  }
  engine.access(warp, site, told);
  if (isWrite(event))
    eachLane(regular, [&](unsigned lane) {
      for (unsigned b = 0; b < event.bytes; ++b)
        contents[addresses[lane] + b] = {
            compares && isKnown ? rows.row[b / rows.elementBytes][lane * 8 + b % rows.elementBytes]
                                : uint8_t(0),
            compares && isKnown};
    });
}

/// Whether the two may race where they lead to the same memory; false too where they cannot lead there.
bool GlobalAccesses::mayRace(const Use &a, const Use &b) const {
  if ((!a.writes && !b.writes) || (a.strong && b.strong))
    return false;
  if (!PointerBases::mayMeet(a.bases, b.bases)) {
    assumed.pointersDoNotOverlap = true;
    return false;
  }
  for (const Use *use : {&a, &b})
    if (use->form != Forms::Opaque && steering.allForms().of(use->form).size() > 1)
      assumed.noOverflow = true;
  return true;
}

std::string GlobalAccesses::describe(const Use &use) const {
  return "memory of " + steering.pointerBases().describe(use.bases, steering.parameterNames());
}

std::vector<UndecidedReason> GlobalAccesses::withinBlock() const {
  std::vector<UndecidedReason> reasons;
  for (auto a = uses.begin(); a != uses.end(); ++a)
    for (auto b = a; b != uses.end() && reasons.size() < MostReasons; ++b) {
      const Use &one = a->second, &other = b->second;
      const bool isCompared = one.form == other.form && one.form != Forms::Opaque;
      if (isCompared || !mayRace(one, other))
        continue;
      const Use &writer = one.writes ? one : other, &partner = one.writes ? other : one;
      UndecidedReason reason;
      reason.place = steering.placeOf(*writer.instr);
      reason.text =
          fmt::format("whether threads write the same place of {} here depends on data", describe(writer));
      if (&writer != &partner && writer.instr != partner.instr) {
        reason.text = fmt::format("whether this {} and another access of {} meet depends on data", "write",
                                  describe(writer));
        reason.notes.push_back(
            {steering.placeOf(*partner.instr), partner.writes ? "written here" : "read here"});
      }
      reason.properties = setOf(Property::GlobalRacesInBlock);
      reasons.push_back(std::move(reason));
    }
  return reasons;
}

// --- between blocks
// -----------------------------------------------------------------------------------------------

namespace {

/// Bytes lo + stride * i + r with 0 <= i < count and 0 <= r < length.
struct Run {
  int64_t lo = 0, stride = 1, count = 1, length = 1;
};

/// The bytes that are touched, as runs; false where they are only a hull of them.
bool runsOf(std::vector<int64_t> offsets, int64_t bytes, std::vector<Run> &runs) {
  sortUnique(offsets);
  std::vector<Run> intervals;
  for (int64_t offset : offsets)
    if (!intervals.empty() && offset <= intervals.back().lo + intervals.back().length)
      intervals.back().length = offset + bytes - intervals.back().lo;
    else
      intervals.push_back({offset, 1, 1, bytes});
  for (const Run &next : intervals) {
    if (!runs.empty() && runs.back().length == next.length) {
      Run &last = runs.back();
      if (last.count == 1 || next.lo == last.lo + last.stride * last.count) {
        if (last.count == 1)
          last.stride = next.lo - last.lo;
        ++last.count;
        continue;
      }
    }
    runs.push_back(next);
  }
  if (runs.size() <= MostRuns)
    return true;
  const int64_t lo = intervals.front().lo, end = intervals.back().lo + intervals.back().length;
  runs = {{lo, 1, 1, end - lo}};
  return false;
}

/// A form as a linear function of blockIdx, and the rest.
struct Linear {
  int64_t block[3] = {};
  Forms::Polynomial rest;
  bool isLinear = true;
};

Linear linearOf(const Forms::Polynomial &form) {
  Linear linear;
  for (const auto &[monomial, coefficient] : form) {
    const auto isBlock = [](Forms::Symbol symbol) { return symbol < Forms::GridDim; };
    if (monomial.size() == 1 && isBlock(monomial[0]))
      linear.block[monomial[0]] = coefficient;
    else if (std::ranges::any_of(monomial, isBlock))
      linear.isLinear = false;
    else
      linear.rest[monomial] = coefficient;
  }
  return linear;
}

/// Linear constraints over b (3), b' (3), i, r, i', r'.
class System {
public:
  static constexpr unsigned Size = 10;
  System() : context(isl_ctx_alloc()) {
    isl_options_set_on_error(context, ISL_ON_ERROR_CONTINUE);
    isl_ctx_set_max_operations(context, MostWork);
    space = isl_space_set_alloc(context, 0, Size);
    set = isl_basic_set_universe(isl_space_copy(space));
  }
  ~System() {
    isl_basic_set_free(set);
    isl_space_free(space);
    isl_ctx_free(context);
  }
  System(const System &) = delete;
  System &operator=(const System &) = delete;

  void add(bool equality, const std::array<int64_t, Size> &coefficients, int64_t constant) {
    isl_local_space *local = isl_local_space_from_space(isl_space_copy(space));
    isl_constraint *row =
        equality ? isl_constraint_alloc_equality(local) : isl_constraint_alloc_inequality(local);
    for (unsigned i = 0; i < Size; ++i)
      row = isl_constraint_set_coefficient_val(row, isl_dim_set, int(i),
                                               isl_val_int_from_si(context, coefficients[i]));
    row = isl_constraint_set_constant_val(row, isl_val_int_from_si(context, constant));
    set = isl_basic_set_add_constraint(set, row);
  }
  void atLeast(unsigned variable, int64_t bound) {
    std::array<int64_t, Size> row{};
    row[variable] = 1;
    add(false, row, -bound);
  }
  void below(unsigned variable, int64_t bound) {
    std::array<int64_t, Size> row{};
    row[variable] = -1;
    add(false, row, bound - 1);
  }
  /// True where there is none for certain.
  bool hasNoSolution() const { return isl_basic_set_is_empty(set) == isl_bool_true; }
  bool hasSolution() const { return isl_basic_set_is_empty(set) == isl_bool_false; }

private:
  isl_ctx *context;
  isl_space *space = nullptr;
  isl_basic_set *set = nullptr;
};

enum class Answer : uint8_t { No, Maybe, Yes };

/// What is known of blockIdx.
struct BlockRange {
  std::optional<Dim3> grid;
  bool reads[3] = {}; ///< dimensions of blockIdx that the kernel reads

  /// 0: without end.
  int64_t limit(unsigned k) const {
    if (grid)
      return int64_t(k == 0 ? grid->x : k == 1 ? grid->y : grid->z);
    const bool readsAny = reads[0] || reads[1] || reads[2];
    return reads[k] || (!readsAny && k == 0) ? 0 : 1;
  }
};

/// Whether block b's bytes `x` and another block's bytes `y` can be the same.
Answer meet(const Linear &f, const Run &x, const Linear &g, const Run &y, const BlockRange &range) {
  Answer answer = Answer::No;
  for (unsigned k = 0; k < 3; ++k) {
    if (range.limit(k) == 1)
      continue;
    for (int direction : {1, -1}) {
      System system;
      for (unsigned d = 0; d < 3; ++d)
        for (unsigned which : {d, d + 3}) {
          system.atLeast(which, 0);
          if (range.limit(d))
            system.below(which, range.limit(d));
        }
      system.atLeast(6, 0), system.below(6, x.count), system.atLeast(7, 0), system.below(7, x.length);
      system.atLeast(8, 0), system.below(8, y.count), system.atLeast(9, 0), system.below(9, y.length);
      std::array<int64_t, System::Size> apart{};
      apart[k] = direction, apart[k + 3] = -direction;
      system.add(false, apart, -1);
      system.add(true,
                 {f.block[0], f.block[1], f.block[2], -g.block[0], -g.block[1], -g.block[2], x.stride, 1,
                  -y.stride, -1},
                 x.lo - y.lo);
      if (system.hasNoSolution())
        continue;
      if (system.hasSolution())
        return Answer::Yes;
      answer = Answer::Maybe;
    }
  }
  return answer;
}

BlockRange rangeOf(const Kernel &kernel, const Knowledge &known) {
  BlockRange range;
  range.grid = known.grid;
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

} // namespace

GlobalAccesses::Between GlobalAccesses::betweenBlocks(const Kernel &kernel, const Knowledge &known) const {
  Between result;
  const BlockRange range = rangeOf(kernel, known);
  if (range.grid && range.grid->count() == 1)
    return result;
  auto undecided = [&](const Use &a, const Use &b, const char *why, std::string hint) {
    if (result.undecided.size() >= MostReasons)
      return;
    const Use &writer = a.writes ? a : b, &partner = a.writes ? b : a;
    UndecidedReason reason;
    reason.place = steering.placeOf(*writer.instr);
    reason.text = fmt::format("whether two blocks meet in {} {}", describe(writer), why);
    if (writer.instr != partner.instr)
      reason.notes.push_back(
          {steering.placeOf(*partner.instr), partner.writes ? "and are written here" : "and are read here"});
    reason.hint = std::move(hint);
    reason.properties = setOf(Property::GlobalRacesBetweenBlocks);
    result.undecided.push_back(std::move(reason));
  };
  for (auto a = uses.begin(); a != uses.end(); ++a)
    for (auto b = a; b != uses.end(); ++b) {
      const Use &one = a->second, &other = b->second;
      if (!mayRace(one, other))
        continue;
      const bool bothKnown = one.value && other.value && !one.valueVaries && !other.valueVaries;
      if (bothKnown && *one.value == *other.value && one.bytes == other.bytes)
        continue;
      if (known.blockId) {
        undecided(one, other, "is not looked at: only one block is", "leave --ctaid out");
        continue;
      }
      if (one.form == Forms::Opaque || other.form == Forms::Opaque) {
        undecided(one, other, "depends on data", "");
        continue;
      }
      const Linear f = linearOf(steering.allForms().of(one.form)),
                   g = linearOf(steering.allForms().of(other.form));
      if (!f.isLinear || !g.isLinear || f.rest != g.rest) {
        undecided(one, other, "depends on parameters in a way that is not linear",
                  "give parameters: --param");
        continue;
      }
      std::vector<Run> xs, ys;
      const bool exactX = runsOf(one.offsets, one.bytes, xs), exactY = runsOf(other.offsets, other.bytes, ys);
      Answer answer = Answer::No;
      for (const Run &x : xs)
        for (const Run &y : ys)
          if (answer != Answer::Yes)
            answer = std::max(answer, meet(f, x, g, y, range));
      if (answer == Answer::No)
        continue;
      const bool isCertain = answer == Answer::Yes && exactX && exactY && range.grid && !one.perhaps &&
                             !other.perhaps && (!one.writes || !other.writes || bothKnown);
      if (!isCertain) {
        undecided(one, other, range.grid ? "depends on data" : "depends on the grid and on data",
                  range.grid ? "" : "--grid X,Y,Z may settle it");
        continue;
      }
      Finding finding;
      finding.rule = Rule::RaceGlobal;
      finding.kernel = readableKernel(kernel.info.name);
      const Use &writer = one.writes ? one : other, &partner = one.writes ? other : one;
      finding.place = steering.placeOf(*writer.instr);
      finding.text = fmt::format("{} is written here by one block and {} by another; nothing orders the two",
                                 describe(writer), partner.writes ? "written" : "read");
      finding.notes.push_back({steering.placeOf(*partner.instr), partner.writes
                                                                     ? "written here by another block"
                                                                     : "read here by another block"});
      finding.hint =
          "blocks run in any order: use an atomic, a fence with a flag, a grid-wide sync, or two launches";
      result.findings.push_back(std::move(finding));
    }
  return result;
}

// --- names
// -------------------------------------------------------------------------------------------------------

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
        if (key.second == form) {
          finding.text.replace(
              at, end - at,
              fmt::format("byte {} of what a block has in {}", int64_t(address - arena), describe(use)));
          return;
        }
}

} // namespace heddle::check
