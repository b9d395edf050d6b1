// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is generated for a mechanism: source files, and the C functions in them. Every function has the same
// arguments, so that programs and self-tests call any kernel in any variant alike:
//
//     int NAME(size_t points, size_t stride, const double *temperature, const double *pressure,
//              const double *moleFractions, double *result, cudaStream_t stream);
//
// The value of species k at point p is at [k * stride + p], in `moleFractions` and, where there is a
// result for each species, in `result`. Chemistry with stiff species has `const double *diffusion, double
// timeStep` before the result: a row for each stiff species in the unit of rates, and seconds. The host's
// variant takes `int threads` in place of the stream; 0 is all. They return 0, or an error that NAME's header
// explains.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace heddle::kernels {

enum class Kernel { Viscosity, Conductivity, Diffusion, Chemistry };
enum class Variant { Plain, Warps, Matrix, Cpu };
/// As options and functions are called: "viscosity", "plain".
std::string_view nameOf(Kernel kernel);
std::string_view nameOf(Variant variant);

enum class Precision { Double, Float, Mixed };
enum class Units { Si, Cgs };

struct Options {
  std::string prefix; ///< of every function: a C identifier, made of the mechanism's name
  Precision precision = Precision::Double;
  Units units = Units::Si;
};

struct SourceFile {
  std::string name, text;
};

/// One C function.
struct Function {
  std::string name;
  Kernel kernel = Kernel::Viscosity;
  Variant variant = Variant::Plain;
  std::string about;      ///< a sentence for the header
  bool isStiff = false;   ///< takes diffusion and timeStep
  size_t localBytes = 0;  ///< local memory for results of its stages, per thread
  size_t sharedBytes = 0; ///< of a block, where the function is compiled for a GPU with less than sm_90 has
};

struct Emitted {
  std::vector<SourceFile> files;
  std::vector<Function> functions;
};

} // namespace heddle::kernels
