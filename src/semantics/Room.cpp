// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The hot semantics are headers; compiling them once here keeps each of them self-contained.
#include "semantics/Approx.h"
#include "semantics/Bits.h"
#include "semantics/Convert.h"
#include "semantics/Float.h"
#include "semantics/Format.h"
#include "semantics/Integer.h"
#include "semantics/Matrix.h"
#include "semantics/SoftDouble.h"
