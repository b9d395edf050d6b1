// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ex2, lg2, sin and cos are polynomials in vector code, and calls of the C library where those do not decide the result. The same
// bits as semantics/Approx.h, over f32 numbers spread evenly over all of them. HEDDLE_STRIDE=1 tries every one (minutes).
#include "jit/NativeForms.h"
#include "semantics/Approx.h"

#include <gtest/gtest.h>

#include <cstdlib>

namespace heddle::jit::test {
namespace {

using Reference = float (*)(float);

void sweep(ptx::Op op, Reference plain, Reference flushing) {
  const char *given = std::getenv("HEDDLE_STRIDE");
  const uint64_t stride = given ? std::strtoull(given, nullptr, 0) : 4099, lanes = 8;
  std::vector<const TestForm *> chosen;
  const std::vector<TestForm> forms = formsOf(op);
  for (const TestForm &form : forms)
    if (form.instr->type() == ptx::Type::F32)
      chosen.push_back(&form);
  NativeCode code(chosen);
  for (size_t f = 0; f < chosen.size(); ++f) {
    const Reference reference = chosen[f]->instr->mods.has(ptx::Flag::Ftz) ? flushing : plain;
    NativeOperation native = code.function(f, lanes);
    uint32_t in[8], out[8];
    const void *sources[] = {in};
    void *results[] = {out};
    unsigned wrong = 0;
    for (uint64_t first = 0; first < uint64_t(1) << 32 && wrong < 10; first += lanes * stride) {
      for (unsigned lane = 0; lane < lanes; ++lane)
        in[lane] = uint32_t(first + lane * stride);
      callNative(native, sources, results, 0);
      for (unsigned lane = 0; lane < lanes; ++lane)
        if (out[lane] != semantics::bitsOfFloat(reference(semantics::floatOf(in[lane])))) {
          ++wrong;
          ADD_FAILURE() << chosen[f]->mnemonic << fmt::format(" of {:08x} gives {:08x}", in[lane], out[lane]);
        }
    }
  }
}

TEST(Approximations, Exp2) {
  sweep(ptx::Op::Ex2, semantics::ex2Approx<false, float>, semantics::ex2Approx<true, float>);
}
TEST(Approximations, Log2) { sweep(ptx::Op::Lg2, semantics::lg2Approx<false>, semantics::lg2Approx<true>); }
TEST(Approximations, Sin) { sweep(ptx::Op::Sin, semantics::sinApprox<false>, semantics::sinApprox<true>); }
TEST(Approximations, Cos) { sweep(ptx::Op::Cos, semantics::cosApprox<false>, semantics::cosApprox<true>); }

} // namespace
} // namespace heddle::jit::test
