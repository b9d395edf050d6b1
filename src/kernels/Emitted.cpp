// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "kernels/Emitted.h"

namespace heddle::kernels {

std::string_view nameOf(Kernel kernel) {
  switch (kernel) {
  case Kernel::Viscosity: return "viscosity";
  case Kernel::Conductivity: return "conductivity";
  case Kernel::Diffusion: return "diffusion";
  case Kernel::Chemistry: return "chemistry";
  }
  return "";
}

std::string_view nameOf(Variant variant) {
  switch (variant) {
  case Variant::Plain: return "plain";
  case Variant::Warps: return "warps";
  case Variant::Matrix: return "matrix";
  case Variant::Cpu: return "cpu";
  }
  return "";
}

} // namespace heddle::kernels
