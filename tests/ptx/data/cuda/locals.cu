#include "prelude.h"
__global__ void locals(int *p, int n) {
  int stack[40];
  for (int i = 0; i < 40; ++i)
    stack[i] = p[i];
  int at = n;
  for (int i = 0; i < n; ++i)
    at = stack[at % 40] + stack[(at + i) % 40]--;
  p[TID] = stack[at % 40];
}
