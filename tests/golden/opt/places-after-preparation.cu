// A directive may prepare a kernel before it looks at it: declarations are split, calls with barriers opened, hidden variables renamed.
// What it then refuses, or does, is reported at places of the file as it is.
// RUN: not %heddle opt %s -o %t.cu -k split -d "coarsen x=2" --cuda-path none 2>&1 | FileCheck %s --check-prefix=SPLIT
// RUN: not %heddle opt %s -o %t.cu -k opened -d "coarsen x=2" --cuda-path none 2>&1 | FileCheck %s --check-prefix=OPENED
// RUN: %heddle opt %s -o %t.cu -k later -d "coarsen x=2; branchless" --cuda-path none --no-check --remarks 2>&1 | FileCheck %s --check-prefix=LATER

// SPLIT: places-after-preparation.cu:[[# @LINE + 9]]:{{[0-9]+}}: error: coarsen x=2: two threads of a block access the same element of 's'
// SPLIT-NEXT: [[# @LINE + 8]] |   a[t] = s[63 - t] + u;
// SPLIT: places-after-preparation.cu:[[# @LINE + 6]]:{{[0-9]+}}: note: the write is here
__global__ void split(float *a) {
  __shared__ float s[64];
  int t = threadIdx.x, u = 2, v = t * u, w = v + t;
  for (int i = 0, j = t; i < 2; ++i, j += 3)
    a[t] += j + w;
  s[t] = a[t];
  a[t] = s[63 - t] + u;
}

__device__ void exchange(float *s, float *a, int t) {
  s[t] = a[t];
  __syncthreads();
  a[t] = s[63 - t];
}

// The read is in the function, whose text takes the place of the call.
// OPENED: places-after-preparation.cu:[[# @LINE + 7]]:{{[0-9]+}}: error: coarsen x=2: two threads of a block access the same element of 's'
// OPENED-NEXT: [[# @LINE + 6]] |   s[t] = 3;
// OPENED: places-after-preparation.cu:[[# @LINE - 6]]:{{[0-9]+}}: note: the read is here
__global__ void opened(float *a) {
  __shared__ float s[64];
  int t = threadIdx.x;
  exchange(s, a, t);
  s[t] = 3;
  a[t] += s[32 ^ t];
}

// LATER: places-after-preparation.cu:[[# @LINE + 2]]:17: remark: coarsen x=2: each thread of 'later' does the work of 2
// LATER: places-after-preparation.cu:[[# @LINE + 1]]:{{[0-9]+}}: remark: {{.*}} [branchless]
__global__ void later(float *a) {
  int t = threadIdx.x, u = 2;
  __shared__ float s[64];
  s[t] = a[t];
  __syncthreads();
  float value = s[63 - t];
  if (t > 7)
    value = u;
  a[t] = value;
}

void run(float *a) {
  split<<<1, 64>>>(a);
  opened<<<1, 64>>>(a);
  later<<<1, 64>>>(a);
}
