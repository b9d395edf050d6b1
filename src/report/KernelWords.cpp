// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/KernelWords.h"

#include "support/Text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace heddle::report {

using namespace analysis;

namespace {

std::string rangeText(unsigned least, unsigned most) {
  return fmt::format("{} {} {}", least, most == least + 1 ? "or" : "to", most);
}

} // namespace

std::string conditionalSectors(const WarpAccess &warp) {
  if (!warp.mostSectors || (warp.sectors && warp.condition.empty() && warp.rows.empty()))
    return "";
  std::string text = warp.rows.empty() ? "" : warp.rows + ": ";
  if (!warp.sectors)
    return text + rangeText(*warp.leastSectors, *warp.mostSectors) + " sectors";
  if (warp.isCoalesced() && warp.rows.empty())
    text += "coalesced, ";
  text += counted(*warp.sectors, "sector");
  if (!warp.condition.empty())
    text += fmt::format(" if {}, else {}", warp.condition,
                        *warp.leastSectors == 1 && *warp.mostSectors > 2
                            ? "fewer"
                            : rangeText(*warp.leastSectors, *warp.mostSectors));
  return text;
}

namespace {

/// "16 of 32 lanes, 1 of 8 warps", if a condition excludes the others by their index
std::string whoExecutes(const WarpAccess &warp) {
  std::vector<std::string> parts;
  if (warp.isPartial())
    parts.push_back(fmt::format("{} of {} lanes", warp.executing, warp.lanes));
  if (warp.executingWarps < warp.warps)
    parts.push_back(fmt::format("{} of {} warps", warp.executingWarps, warp.warps));
  return fmt::format("{}", fmt::join(parts, ", "));
}

AccessWords sharedWords(const WarpAccess &warp, const Access &access) {
  if (access.kind == Access::Kind::Atomic && *warp.bankConflicts > 1)
    return {warp.isOneAddress ? fmt::format("one address, {} atomics serialized", warp.executing)
                              : fmt::format("{} atomics of one bank serialized", *warp.bankConflicts),
            Tone::Warn};
  if (warp.executing == 1)
    return {"", Tone::Good};
  if (warp.isOneAddress)
    return {access.isWrite() ? "one address" : "broadcast", Tone::Good};
  return *warp.bankConflicts == 1
             ? AccessWords{"no bank conflict", Tone::Good}
             : AccessWords{fmt::format("{}-way bank conflict", *warp.bankConflicts), Tone::Warn};
}

AccessWords globalWords(const WarpAccess &warp, const Access &access) {
  if (std::string text = conditionalSectors(warp); !text.empty())
    return {text, Tone::Info};
  const std::string sectors = counted(*warp.sectors, "sector");
  if (warp.executing == 1)
    return {sectors, Tone::Good};
  if (warp.isOneAddress)
    return {access.isWrite() ? "one address" : "broadcast", Tone::Good};
  if (warp.isCoalesced())
    return {fmt::format("coalesced, {}", sectors), Tone::Good};
  const bool isMisaligned = warp.stride == 1 && *warp.sectors == *warp.fewestSectors + 1;
  return {fmt::format("{} per request, {} would suffice", sectors, *warp.fewestSectors),
          isMisaligned ? Tone::Info : Tone::Warn};
}

} // namespace

AccessWords accessWords(const KernelFacts &facts, const Access &access) {
  const bool isShared = access.array->space == Array::Space::Shared;
  if (!isShared && access.array->space != Array::Space::Global)
    return {};
  const WarpAccess warp = warpAccess(*facts.accesses, access);
  if (warp.bankConflicts || warp.mostSectors) {
    const AccessWords words = isShared ? sharedWords(warp, access) : globalWords(warp, access);
    const std::string who = whoExecutes(warp);
    return {who + (who.empty() || words.text.empty() ? "" : ": ") + words.text, words.tone};
  }
  if (std::ranges::any_of(access.subscripts,
                          [](const Affine &subscript) { return !subscript; })) // why: subscriptText
    return {isShared ? "bank conflicts unknown" : "sectors unknown", Tone::Info};
  return {warp.reason, Tone::Info};
}

std::string laterText(const Reuse &reuse) {
  if (!reuse.iterations)
    return "";
  const size_t iterations = size_t(std::abs(reuse.iterations));
  return fmt::format(", {} later{}", counted(iterations, "iteration"),
                     reuse.isCertain ? ""
                                     : fmt::format(", if the loop runs more than {}",
                                                   iterations == 1 ? "once" : counted(iterations, "time")));
}

std::string subscriptText(const Access &access) {
  std::string text;
  for (const Affine &subscript : access.subscripts) {
    if (!subscript)
      return "not affine: " + subscript.why().str();
    text += fmt::format("[{}]", subscript.str());
  }
  return text;
}

bool isTraffic(const Array &array) {
  return array.space != Array::Space::Local &&
         (array.space != Array::Space::Constant || !array.extents.empty());
}

std::string withLine(const Step &step) {
  constexpr std::string_view here = "here";
  return step.text.ends_with(here) && step.location.line
             ? fmt::format("{}at line {}", step.text.substr(0, step.text.size() - here.size()),
                           step.location.line)
             : step.text;
}

std::string branchText(DivergentBranch::Kind kind) {
  switch (kind) {
  case DivergentBranch::Kind::If: return "if";
  case DivergentBranch::Kind::Switch: return "switch";
  case DivergentBranch::Kind::Loop: return "loop";
  case DivergentBranch::Kind::Conditional: return "?:";
  case DivergentBranch::Kind::ShortCircuit: return "&& or ||";
  case DivergentBranch::Kind::Goto: return "goto";
  }
  return "";
}

std::string shapeText(const std::array<std::optional<int64_t>, 3> &xyz) {
  const size_t used = xyz[2] == 1 ? (xyz[1] == 1 ? 1 : 2) : 3;
  std::vector<std::string> parts;
  for (size_t i = 0; i < used; ++i)
    parts.push_back(xyz[i] ? fmt::to_string(*xyz[i]) : "?");
  return fmt::format("({})", fmt::join(parts, ", "));
}

std::string bytesText(int64_t bytes) {
  return bytes >= 1024 && bytes % 1024 == 0 ? fmt::format("{} KB", bytes / 1024)
                                            : counted(size_t(bytes), "byte");
}

} // namespace heddle::report
