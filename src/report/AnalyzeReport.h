// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "analysis/KernelFacts.h"
#include "arch/Arch.h"

#include <nlohmann/json_fwd.hpp>

#include <string>
#include <vector>

namespace heddle::report {

/// One readable page about a kernel: launch, regions, barriers, shared memory, accesses with reuse, divergent
/// branches with their cause, registers, occupancy, findings. `opportunities`: opportunities of directives, a
/// line each.
std::string analyzeText(const analysis::KernelFacts &facts, const arch::Arch &arch,
                        const std::vector<std::string> &opportunities);

/// The same facts for programs. The layout is "heddle.analyze/1": docs/analyze.md describes it.
nlohmann::ordered_json analyzeJson(const analysis::KernelFacts &facts, const arch::Arch &arch);

} // namespace heddle::report
