// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "check/Checker.h"
#include "check/StaticOverlap.h"
#include "check/StaticProperties.h"
#include "check/StaticSteering.h"

#include <cstdint>
#include <map>
#include <optional>
#include <tuple>

namespace heddle::check {

/// Global memory as the static check sees it: addresses are sums (StaticFollow.cpp). Accesses of the one block that
/// is executed go to a happens-before engine; what all of them touch is kept and compared between blocks.
class GlobalAccesses {
public:
  /// `certain`: values that are not known to differ count as equal.
  GlobalAccesses(const StaticSteering &how, Checker &races, bool onlyWhatIsCertain)
      : steering(how), engine(races), certain(onlyWhatIsCertain) {}

  /// An access of which steering.globalAccess() says where it leads.
  void access(const vm::WarpRef &warp, vm::SiteRef site, const vm::AccessEvent &event, bool perhaps);
  /// A barrier orders what was stored before it.
  void forgetContents() { contents.clear(); }

  /// Accesses of one block that cannot be compared.
  std::vector<UndecidedReason> withinBlock(Overlaps &meetings) const;

  struct Between {
    std::vector<UndecidedReason> undecided;
    std::vector<Finding> findings;
  };
  /// Accesses of two blocks that touch the same memory, or may.
  Between betweenBlocks(const vm::Kernel &kernel, const Knowledge &known, Overlaps &meetings) const;

  /// What both of them ask.
  Overlaps meetings(const vm::Kernel &kernel, const Knowledge &known) const;

  /// What comparisons took for granted so far.
  const Assumptions &assumptions() const { return assumed; }

  /// Puts names in place of the engine's addresses.
  void nameMemory(Finding &finding) const;

private:
  /// All that one instruction does at addresses of one form.
  struct Use {
    const ptx::Instr *instr = nullptr;
    Touched touched; ///< addresses: sorted and each once up to `tidy`
    size_t tidy = 0;
    Bases bases = 0;
    bool writes = false, strong = false;
    bool perhaps = true;           ///< each time: it may not happen
    std::optional<uint64_t> value; ///< that all stores store
    bool valueVaries = false;      ///< not known, or not one

    FormId form() const { return touched.form; }
  };
  /// Uses that differ in nothing that a comparison asks for, so that one comparison settles all of them.
  struct Group {
    Use all; ///< with the addresses of each
    std::vector<const Use *> members;
  };
  std::vector<Group> groups() const;
  bool isSettled(const Group &a, const Group &b, bool sameBlock, Overlaps &meetings) const;
  Overlaps::Result compare(const Use &a, const Use &b, bool sameBlock, Overlaps &meetings) const;
  UndecidedReason mayAlias(const Use &a, const Use &b, const std::string &why) const;
  /// With the width of an array, addresses are linear; empty where it is no parameter.
  std::string hintFor(const Overlaps::Result &met) const;

  uint64_t addressOf(FormId form, int64_t offset);
  void note(const ptx::Instr &instr, const vm::AccessEvent &event, uint32_t lanes, bool perhaps);
  bool mayRace(const Use &a, const Use &b) const;
  std::string describe(const Use &use) const;
  std::string byteName(const Use &use, int64_t offset) const;

  const StaticSteering &steering;
  Checker &engine;
  const bool certain;
  mutable Assumptions assumed;
  std::map<std::tuple<const ptx::Instr *, FormId, std::array<FormId, Facts::Most>>, Use> uses;
  std::map<FormId, uint64_t> arenas;
  uint64_t compared = 0; ///< accesses of lanes
  struct Content {
    uint8_t byte = 0;
    bool known = false;
  };
  std::unordered_map<uint64_t, Content> contents; ///< what stores left, where a known value was stored
  vm::StoredRows rows;
  uint8_t held[vm::Lanes][64] = {};
  uint8_t *heldAt[vm::Lanes] = {};
};

} // namespace heddle::check
