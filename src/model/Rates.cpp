// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "model/Rates.h"

#include <algorithm>

namespace heddle::model {
namespace {

struct ClassRow {
  std::string_view name;
  Pipe pipe;
  double rate;
};
constexpr ClassRow classRows[] = {
#define MODEL_CLASS(NAME, PIPE, RATE) {NAME, PIPE, RATE},
#include "model/Pipes.def"
};

} // namespace

/// Rates of the table, but for fma.f32: bench/latency gets half of the 128 of the programming guide, which
/// are the 67 TFLOP/s of an H200's data sheet.
std::optional<ClassRate> rateOf(std::string_view cls, const arch::Arch &arch) {
  const auto *row = std::ranges::find(classRows, cls, &ClassRow::name);
  if (row == std::end(classRows))
    return std::nullopt;
  const double measured = arch::throughputOf(arch.latencies, cls).value_or(row->rate);
  return ClassRate{row->pipe, cls == "fma.f32" ? std::max(measured, row->rate) : measured};
}

} // namespace heddle::model
