// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The frequently executed functions are in headers; compiling them here checks that each is self-contained.
#include "semantics/Approx.h"
#include "semantics/Bits.h"
#include "semantics/Convert.h"
#include "semantics/Float.h"
#include "semantics/Format.h"
#include "semantics/Integer.h"
#include "semantics/Matrix.h"
#include "semantics/SoftDouble.h"
