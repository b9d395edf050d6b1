// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Net production rates with quasi-steady or stiff species on the host, a vector of points at a time.
#include "kernels/ChemistryVariants.h"
#include "kernels/Signature.h"
#include "kernels/Statements.h"

#include <fmt/format.h>

namespace heddle::kernels {

namespace {

constexpr unsigned instructionsInHostPart = model::threshold::chemistry::longestPartOnHost;
constexpr unsigned keepFromOnHost = model::threshold::chemistry::keepFromOnHost;

} // namespace

Emitted emitQssaCpu(const chem::Mechanism &mechanism, const ChemistryTreatment &treatment,
                    const Options &options) {
  const flow::Program program = qssaProgramOf(mechanism, treatment, options, keepFromOnHost);
  const Real &real = realOf(options.precision);
  std::string zeros, copiedArguments;
  for (unsigned sum : emptySums(program))
    zeros += fmt::format("  hdl_store(result + {} * stride + point, hdl_all(0.0));\n", sum);
  std::vector<Values> parts, kept, copies;
  const std::vector<flow::Segment> segments =
      partsOf(program, instructionsInHostPart, instructionsInHostPart);
  const Statements statements = statementsOf(program, segments, hostVectorTarget(real), {0, 0, true});
  for (size_t i = 0; i < segments.size(); ++i)
    parts.push_back({{"number", i + 1}, {"body", (i == 0 ? zeros : "") + statements.segments[i]}});
  for (const std::string &name : statements.kept)
    kept.push_back({{"member", name}});
  for (const flow::Field &field : program.fields) {
    copiedArguments += (copiedArguments.empty() ? "" : ", ") + field.name + (field.isUniform ? "" : "Copy");
    if (!field.isUniform)
      copies.push_back({{"field", field.name}, {"components", field.components}});
  }
  const Function function = qssaFunction(options, treatment, Variant::Cpu);
  const Values own = {{"name", function.name},
                      {"quasiSteady", namesOf(mechanism, treatment.quasiSteady.species)},
                      {"stiff", namesOf(mechanism, treatment.stiff)},
                      {"kept", std::move(kept)},
                      {"parts", std::move(parts)},
                      {"parameters", parametersOf(program, real, "", "")},
                      {"partParameters", parametersOf(program, real, "[[maybe_unused]] ", "")},
                      {"arguments", argumentsOf(program)},
                      {"anyNull", anyNullOf(program)},
                      {"copies", std::move(copies)},
                      {"copiedArguments", copiedArguments}};
  return {{{function.name + ".cpp",
            fillTemplate("chemistry_stages_cpu.cpp.in", joined(commonOf(mechanism, options), own))}},
          {function}};
}

} // namespace heddle::kernels
