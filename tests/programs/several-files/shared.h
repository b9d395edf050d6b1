// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// Adds FACTOR (a macro from the command line) times the index to each element, on the device.
void addOnDevice(int *data, int n);
int *deviceCopy(const int *values, int n);
bool isExpected(const int *values, int n);
