// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
void scale(float *p, int n);
