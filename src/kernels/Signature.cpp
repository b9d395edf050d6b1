// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "kernels/Signature.h"

#include <fmt/format.h>

namespace heddle::kernels {

std::string parametersOf(const flow::Program &program, const Real &real, const char *before,
                         const char *qualifier) {
  std::string text;
  for (const flow::Field &field : program.fields)
    text += fmt::format("{}{}{}{}", text.empty() ? "" : ", ", before,
                        field.isUniform ? fmt::format("{} ", real.type)
                                        : fmt::format("const {} *{}", real.type, qualifier),
                        field.name);
  return text;
}

std::string argumentsOf(const flow::Program &program) {
  std::string text;
  for (const flow::Field &field : program.fields)
    text += (text.empty() ? "" : ", ") + field.name;
  return text;
}

std::string anyNullOf(const flow::Program &program) {
  std::string text;
  for (const flow::Field &field : program.fields)
    text += field.isUniform ? fmt::format("!({} > 0.0) || ", field.name) : "!" + field.name + " || ";
  return text;
}

} // namespace heddle::kernels
