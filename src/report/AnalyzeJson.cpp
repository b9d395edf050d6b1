// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The facts of `heddle analyze` for programs. Keys are in a fixed order; a number that is not known is
// null.
#include "analysis/HiddenBarriers.h"
#include "analysis/RegionView.h"
#include "analysis/WarpAccess.h"
#include "report/AnalyzeReport.h"
#include "source/Unit.h"

#include <clang/AST/Decl.h>
#include <clang/AST/Expr.h>
#include <clang/AST/Stmt.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace heddle::report {
namespace {

using namespace analysis;
using Json = nlohmann::ordered_json;

template <typename T> Json orNull(const std::optional<T> &value) {
  return value ? Json(*value) : Json(nullptr);
}

Json at(const SourceLocation &location) {
  return {{"file", location.file}, {"line", location.line}, {"column", location.column}};
}

Json shapeJson(const std::array<std::optional<int64_t>, 3> &xyz) {
  return Json::array({orNull(xyz[0]), orNull(xyz[1]), orNull(xyz[2])});
}

Json shapeJson(const source::LaunchShape &shape) {
  Json json = {{"value", shapeJson({shape.xyz[0].value, shape.xyz[1].value, shape.xyz[2].value})},
               {"text", shape.text}};
  for (const source::LaunchNumber &n : shape.xyz)
    if (!n.value)
      json["whyUnknown"] = n.whyUnknown;
  return json;
}

Json launchJson(const source::Launch &launch) {
  return {{"at", at(launch.location)},
          {"grid", shapeJson(launch.grid)},
          {"block", shapeJson(launch.block)},
          {"dynamicSharedBytes", orNull(launch.dynamicSharedBytes.value)},
          {"stream", launch.stream}};
}

Json stepsJson(const std::vector<Step> &steps) {
  Json json = Json::array();
  for (const Step &step : steps)
    json.push_back({{"at", at(step.location)}, {"text", step.text}});
  return json;
}

Json barriersJson(const KernelFacts &facts) {
  Json json = Json::array();
  for (const Barrier &barrier : facts.regions->barriers()) {
    Json entry = {{"at", at(facts.kernel->unit->location(barrier.statement))},
                  {"spelling", barrier.spelling},
                  {"scope", nameOf(barrier.scope)},
                  {"id", orNull(barrier.id)},
                  {"threads", orNull(barrier.threads)}};
    if (const DivergentControl *divergent = facts.regions->divergence(barrier))
      entry["divergent"] = stepsJson(divergent->why);
    json.push_back(entry);
  }
  return json;
}

Json hiddenBarriersJson(const KernelFacts &facts) {
  Json json = Json::array();
  for (const HiddenBarrier &each : hiddenBarriers(*facts.kernel))
    json.push_back({{"at", at(each.location)},
                    {"spelling", each.barrier.spelling},
                    {"scope", nameOf(each.barrier.scope)},
                    {"inside", each.inside},
                    {"executedAt", at(each.executedAt)}});
  return json;
}

const char *kindName(RegionStep::Kind kind) {
  switch (kind) {
  case RegionStep::Kind::Region: return "region";
  case RegionStep::Kind::Barrier: return "barrier";
  case RegionStep::Kind::Loop: return "loop";
  case RegionStep::Kind::Branch: return "branch";
  case RegionStep::Kind::Call: return "call";
  }
  return "";
}

Json sequenceJson(const RegionView &view, const std::vector<RegionStep> &steps, const clang::Stmt *first,
                  const source::Unit &unit);

Json stepJson(const RegionView &view, const RegionStep &step, const source::Unit &unit) {
  Json json = {{"kind", kindName(step.kind)}};
  if (step.kind == RegionStep::Kind::Region) {
    json["number"] = step.region;
    json["from"] = at(unit.location(step.statements.front()));
    json["to"] = at(unit.location(step.statements.back()->getEndLoc()));
    return json;
  }
  json["at"] = at(unit.location(step.point ? step.point->statement : step.node->statement));
  if (step.point)
    return json;
  for (const RegionPart &part : view.partsOf(*step.node))
    json["children"].push_back(sequenceJson(view, part.steps, part.statement, unit));
  return json;
}

Json sequenceJson(const RegionView &view, const std::vector<RegionStep> &steps, const clang::Stmt *first,
                  const source::Unit &unit) {
  Json json = {{"kind", "sequence"}};
  if (first)
    json["at"] = at(unit.location(first));
  for (const RegionStep &step : steps)
    json["children"].push_back(stepJson(view, step, unit));
  return json;
}

Json regionsJson(const KernelFacts &facts) {
  const RegionView view(*facts.tree);
  return sequenceJson(view, view.steps(), nullptr, *facts.kernel->unit);
}

Json arraysJson(const Accesses &accesses) {
  Json json = Json::array();
  for (const auto &array : accesses.arrays())
    json.push_back({{"name", array->name},
                    {"space", nameOf(array->space)},
                    {"elementType", array->elementType},
                    {"elementBytes", array->elementBytes},
                    {"extents", array->extents},
                    {"dynamic", array->isDynamic}});
  return json;
}

Json loopIndex(const Accesses &accesses, const Loop *loop) {
  const auto &loops = accesses.loops();
  const auto found = std::ranges::find_if(loops, [&](const auto &each) { return each.get() == loop; });
  return found == loops.end() ? Json() : Json(found - loops.begin());
}

Json loopsJson(const Accesses &accesses) {
  Json json = Json::array();
  for (const auto &loop : accesses.loops())
    json.push_back({{"at", at(loop->location)},
                    {"variable", loop->variable},
                    {"parent", loopIndex(accesses, loop->parent)},
                    {"trips", orNull(loop->trips)},
                    {"earlyExit", loop->hasEarlyExit}});
  return json;
}

bool isSame(const SourceLocation &one, const SourceLocation &other) {
  return one.file == other.file && one.line == other.line && one.column == other.column;
}

/// A condition other than those of its loops decides whether the access is executed.
bool isConditional(const Access &access, const source::Unit &unit) {
  const auto isOfALoop = [&](const Guard &guard) {
    for (const Loop *loop = access.loop; loop; loop = loop->parent) {
      const clang::Stmt *condition = nullptr;
      if (const auto *counted = dyn_cast_or_null<clang::ForStmt>(loop->statement))
        condition = counted->getCond();
      else if (const auto *tested = dyn_cast_or_null<clang::WhileStmt>(loop->statement))
        condition = tested->getCond();
      if (isSame(guard.location, loop->location) ||
          (condition && isSame(guard.location, unit.location(condition))))
        return true;
    }
    return false;
  };
  for (const Guard *guard = access.guards.get(); guard; guard = guard->outer.get())
    if (!isOfALoop(*guard))
      return true;
  return false;
}

Json accessJson(const Accesses &accesses, const Access &access, const source::Unit &unit) {
  Json subscripts = Json::array();
  for (const Affine &subscript : access.subscripts)
    subscripts.push_back(subscript ? Json{{"affine", subscript.str()}}
                                   : Json{{"notAffine", subscript.why().str()}});
  WarpAccess warp = warpAccess(accesses, access);
  return {{"kind", nameOf(access.kind)},
          {"array", access.array->name},
          {"space", nameOf(access.array->space)},
          {"text", access.text},
          {"at", at(access.location)},
          {"bytes", access.bytes},
          {"subscripts", subscripts},
          {"region", access.region},
          {"loop", loopIndex(accesses, access.loop)},
          {"conditional", isConditional(access, unit)},
          {"warp",
           {{"stride", orNull(warp.stride)},
            {"sectors", orNull(warp.sectors)},
            {"fewestSectors", orNull(warp.fewestSectors)},
            {"leastSectors", orNull(warp.leastSectors)},
            {"mostSectors", orNull(warp.mostSectors)},
            {"condition", warp.condition.empty() ? Json() : Json(warp.condition)},
            {"bankConflicts", orNull(warp.bankConflicts)},
            {"wavefronts", orNull(warp.wavefronts)},
            {"lanes", warp.lanes},
            {"executingLanes", warp.executing},
            {"warps", warp.warps ? Json(warp.warps) : Json()},
            {"oneAddress", warp.isOneAddress},
            {"executingWarps", warp.warps ? Json(warp.executingWarps) : Json()}}}};
}

Json dependencesJson(const Dependences &dependences) {
  Json json = Json::array();
  for (const Dependence &d : dependences.all())
    json.push_back({{"kind", nameOf(d.kind)},
                    {"source", d.source},
                    {"sink", d.sink},
                    {"ordered", d.isOrdered},
                    {"atomic", d.isAtomic},
                    {"certain", d.isCertain},
                    {"reason", d.reason},
                    {"distance", shapeJson(d.distance)}});
  return json;
}

Json reuseJson(const InterThreadReuse &reuse) {
  Json json = Json::array();
  for (const Reuse &r : reuse.all())
    json.push_back({{"kind", nameOf(r.kind)},
                    {"first", r.first},
                    {"second", r.second},
                    {"along", std::string(1, "xyz"[r.dimension])},
                    {"distance", r.distance},
                    {"iterations", r.iterations},
                    {"certain", r.isCertain}});
  return json;
}

Json divergenceJson(const KernelFacts &facts) {
  Json json = Json::array();
  for (const auto &[function, branch] : facts.divergentBranches)
    json.push_back({{"at", at(branch->location)},
                    {"function", function},
                    {"differsBy", nameOf(branch->level)},
                    {"why", stepsJson(branch->why)}});
  return json;
}

Json liveJson(const KernelFacts &facts) {
  Json json = Json::array();
  for (const LiveAcross &across : facts.liveAcross) {
    Json values = Json::array();
    for (const LiveValue &value : across.values)
      values.push_back({{"name", value.variable->getNameAsString()},
                        {"uniformOver", nameOf(value.level)},
                        {"bytes", value.bytes},
                        {"registers", value.registers}});
    json.push_back({{"barrier", at(facts.kernel->unit->location(across.barrier))}, {"values", values}});
  }
  return json;
}

Json occupancyJson(const KernelFacts &facts, const arch::Arch &arch) {
  if (!facts.occupancy)
    return nullptr;
  const arch::Occupancy &o = *facts.occupancy;
  Json limits = Json::array();
  for (arch::Resource resource : o.limits)
    limits.push_back(nameOf(resource));
  return {{"arch", arch.name},          {"percent", o.percent}, {"blocksPerSm", o.blocksPerSm},
          {"warpsPerSm", o.warpsPerSm}, {"limits", limits},     {"impossible", o.impossible}};
}

Json findingsJson(const Diagnostics &findings) {
  Json json = Json::array();
  for (const Diagnostic &d : findings.all()) {
    Json notes = Json::array();
    for (const Diagnostic::Note &note : d.notes)
      notes.push_back({{"at", at(note.location)}, {"text", note.text}});
    json.push_back({{"at", at(d.location)}, {"text", d.text}, {"notes", notes}});
  }
  return json;
}

/// Those that are offered, or those that are not.
Json opportunitiesJson(const std::vector<Opportunity> &opportunities, bool areOffered) {
  Json json = Json::array();
  for (const Opportunity &each : opportunities) {
    if (!each.refusal != areOffered)
      continue;
    json.push_back({{"directive", each.directive}, {"arguments", each.arguments}, {"why", each.why}});
    if (areOffered) {
      json.back()["registers"] = orNull(each.registersAfter);
      json.back()["loadsSaved"] = {{"shared", orNull(each.sharedLoadsSaved)},
                                   {"global", orNull(each.globalLoadsSaved)}};
    }
    if (each.refusal) {
      json.back()["at"] = at(each.refusal->location);
      json.back()["reason"] = each.refusal->text;
      json.back()["hint"] = each.refusal->hint;
    }
  }
  return json;
}

} // namespace

nlohmann::ordered_json analyzeJson(const KernelFacts &facts, const arch::Arch &arch,
                                   const std::optional<std::vector<Opportunity>> &opportunities) {
  Json json = {{"name", facts.kernel->name},
               {"mangledName", facts.kernel->mangledName},
               {"at", at(facts.kernel->location)}};
  json["launches"] = Json::array();
  for (const source::Launch *launch : facts.launches)
    json["launches"].push_back(launchJson(*launch));
  json["assumedBlock"] = shapeJson(facts.launch.block);
  json["barriers"] = barriersJson(facts);
  json["hiddenBarriers"] = hiddenBarriersJson(facts);
  json["regions"] = regionsJson(facts);
  json["arrays"] = arraysJson(*facts.accesses);
  json["loops"] = loopsJson(*facts.accesses);
  json["accesses"] = Json::array();
  for (const Access &access : facts.accesses->all())
    json["accesses"].push_back(accessJson(*facts.accesses, access, *facts.kernel->unit));
  json["dependences"] = dependencesJson(facts.dependences());
  json["reuse"] = reuseJson(facts.reuse);
  json["divergentBranches"] = divergenceJson(facts);
  json["liveAcrossBarriers"] = liveJson(facts);
  json["staticSharedBytes"] = facts.staticSharedBytes;
  json["dynamicSharedBytes"] = orNull(facts.dynamicSharedBytes);
  json["registers"] = {{"estimated", facts.registers.registers()}};
  json["registers"]["from"] = facts.registers.fromPtx ? "PTX" : "source";
  json["registers"]["byScope"] = facts.registers.byScope;
  if (facts.compiled)
    json["registers"]["ptxas"] = {{"registers", facts.compiled->registers},
                                  {"spillStoreBytes", facts.compiled->spillStoreBytes},
                                  {"spillLoadBytes", facts.compiled->spillLoadBytes},
                                  {"stackBytes", facts.compiled->stackBytes}};
  json["occupancy"] = occupancyJson(facts, arch);
  json["opportunities"] = opportunities ? opportunitiesJson(*opportunities, true) : Json();
  json["notOffered"] = opportunities ? opportunitiesJson(*opportunities, false) : Json();
  json["findings"] = findingsJson(facts.findings());
  return json;
}

} // namespace heddle::report
