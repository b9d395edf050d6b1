// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef FILTERS_H
#define FILTERS_H

/// Replaces each value by the mean of itself and its neighbours, `rounds` times.
void smooth(float *values, int count, int rounds);

#endif
