// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Net production rates on the host: loops over reactions of one shape, a block of points at a time.
#include "kernels/ChemistryVariants.h"
#include "kernels/HostLoops.h"

#include <fmt/format.h>

namespace heddle::kernels {

Emitted emitCpuChemistry(const chem::Mechanism &mechanism, const flow::Program &program,
                         const Options &options) {
  const Real &real = realOf(options.precision);
  const HostLoops loops = hostLoops(program, real);
  const std::string name = options.prefix + "_chemistry_cpu";
  const Values own = {{"name", name},         {"real", real.type},    {"functions", loops.functions},
                      {"slots", loops.slots}, {"loads", loops.loads}, {"calls", loops.calls}};
  return {{{name + ".cpp", fillTemplate("chemistry_cpu.cpp.in", joined(commonOf(mechanism, options), own))}},
          {{name, Kernel::Chemistry, Variant::Cpu,
            fmt::format("Net production rates in {}, CPU, SIMD over points, multithreaded.",
                        rateUnit(options.units))}}};
}

} // namespace heddle::kernels
