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

std::string_view nameOf(Form form) {
  switch (form) {
  case Form::Plain: return "plain";
  case Form::Warps: return "warps";
  case Form::Matrix: return "matrix";
  case Form::Cpu: return "cpu";
  }
  return "";
}

} // namespace heddle::kernels
