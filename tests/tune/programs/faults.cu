// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A kernel that is slow for no reason. Every CHOICE but 0 is fast, and all but 9 have something else wrong that would win if
// nobody noticed.
#include <cstdio>

#ifndef CHOICE
#define CHOICE 0
#endif
#ifndef COUNT
#define COUNT 4096
#endif

struct Element {
  int sum;
  char tag; // three bytes of padding follow
};

__global__ void work(Element *elements, int *scratch, int count, volatile int *stop) {
#if CHOICE == 10
  __shared__ volatile int last;
  last = threadIdx.x; // a race, which no result shows
#endif
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count)
    return;
  int sum = 0;
#if CHOICE == 0
  for (int k = 0; k < 100; ++k)
    sum += (i ^ k) - k * (stop[0] + 1); // as the loads are volatile, no compiler finds the sum
#else
  for (int k = 0; k < 100; ++k)
    sum += (i ^ k) - k;
#endif
#if CHOICE == 1
  while (!*stop) // hangs
    scratch[i] += 1;
#elif CHOICE == 2
  scratch[i + (1 << 28)] = 1; // in nobody's memory
#elif CHOICE == 3
  if (i == 77)
    __trap();
#elif CHOICE == 4
  if (i == 0)
    scratch[count] = 1; // behind the end of the array, in the same page
#elif CHOICE == 5
  if (i == count - 3)
    sum += 1; // one element
#elif CHOICE == 6
  if (i == 5)
    (&elements[i].tag)[2] = 1; // padding
#endif
  elements[i].sum = sum;
  elements[i].tag = char(i);
  scratch[i] = CHOICE == 7 && i == 11 ? -1 : i; // nobody copies it to the host
}

int main() {
  const int count = COUNT;
  static Element host[count];
  Element *elements;
  int *scratch, *stop;
  cudaMalloc(&elements, sizeof host);
  cudaMalloc(&scratch, count * sizeof(int));
  cudaMalloc(&stop, sizeof(int));
  cudaMemset(elements, 0, sizeof host);
  cudaMemset(scratch, 0, count * sizeof(int));
  cudaMemset(stop, 0, sizeof(int));
  work<<<(count + 255) / 256, 256>>>(elements, scratch, count, stop);
  if (cudaMemcpy(host, elements, sizeof host, cudaMemcpyDeviceToHost) != cudaSuccess)
    return 1;
  std::printf("%d\n", host[count - 1].sum);
  return 0;
}
