// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// glibc's 113-bit functions as the reference for double ones. They have one name on every machine (sinf128),
// but no one type that Clang accepts everywhere, hence the aliases.
#pragma once

#include <cfloat>

namespace heddle::semantics::quad {

#if LDBL_MANT_DIG == 113
using Quad = long double;
#else
__extension__ typedef __float128 Quad;
#endif

#define QUAD1(name) Quad name(Quad) __asm__(#name "f128")
QUAD1(sin);
QUAD1(cos);
QUAD1(tan);
QUAD1(asin);
QUAD1(acos);
QUAD1(atan);
QUAD1(sinh);
QUAD1(cosh);
QUAD1(tanh);
QUAD1(asinh);
QUAD1(acosh);
QUAD1(atanh);
QUAD1(exp);
QUAD1(exp2);
QUAD1(exp10);
QUAD1(expm1);
QUAD1(log);
QUAD1(log2);
QUAD1(log10);
QUAD1(log1p);
QUAD1(cbrt);
QUAD1(sqrt);
QUAD1(erf);
QUAD1(erfc);
QUAD1(lgamma);
QUAD1(tgamma);
QUAD1(j0);
QUAD1(j1);
QUAD1(y0);
QUAD1(y1);
QUAD1(fabs);
#undef QUAD1
Quad atan2(Quad, Quad) __asm__("atan2f128");
Quad pow(Quad, Quad) __asm__("powf128");
Quad jn(int, Quad) __asm__("jnf128");
Quad yn(int, Quad) __asm__("ynf128");

} // namespace heddle::semantics::quad
