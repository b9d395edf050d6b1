// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/KernelWords.h"

#include "support/Text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

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

AccessWords accessWords(const KernelFacts &facts, const Access &access) {
  if (access.array->space != Array::Space::Shared && access.array->space != Array::Space::Global)
    return {};
  const WarpAccess warp = warpAccess(*facts.accesses, access);
  if (std::string text = conditionalSectors(warp); !text.empty())
    return {text, Tone::Info};
  if (warp.bankConflicts || warp.sectors) {
    if (warp.isOneAddress)
      return {access.isWrite() ? "one address per warp" : "broadcast: one address per warp", Tone::Good};
    if (warp.bankConflicts)
      return *warp.bankConflicts == 1
                 ? AccessWords{"no bank conflict", Tone::Good}
                 : AccessWords{fmt::format("{}-way bank conflict", *warp.bankConflicts), Tone::Warn};
    const std::string sectors = counted(*warp.sectors, "sector");
    const bool isMisaligned = warp.stride == 1 && *warp.sectors == *warp.fewestSectors + 1;
    if (isMisaligned)
      return {
          fmt::format("coalesced, misaligned: {} per warp, {} would suffice", sectors, *warp.fewestSectors),
          Tone::Info};
    return warp.isCoalesced() ? AccessWords{fmt::format("coalesced, {} per warp", sectors), Tone::Good}
                              : AccessWords{fmt::format("not coalesced: {} per warp, {} would suffice",
                                                        sectors, *warp.fewestSectors),
                                            Tone::Warn};
  }
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
