// What ties threads to their neighbours is refused with its place, the reason and a hint; nothing is written.
// RUN: rm -f %t.cu
// RUN: not %heddle opt %s -o %t.cu -k tiled -d "regroup by=i" --cuda-path none 2>&1 | FileCheck %s --check-prefix=SHARED
// RUN: not %heddle opt %s -o %t.cu -k smooth -d "regroup by=i" --cuda-path none 2>&1 | FileCheck %s --check-prefix=NEIGHBOUR
// RUN: not %heddle opt %s -o %t.cu -k steps -d "regroup by=count" --cuda-path none 2>&1 | FileCheck %s --check-prefix=LATE
// RUN: not ls %t.cu
// The static check does not hold the race of 'smooth' against a directive that leaves that kernel as it is.
// RUN: %heddle opt %s -o %t.cu -k steps -d "regroup by=length[i]" --cuda-path none --remarks 2>&1 | FileCheck %s --check-prefix=DONE
// RUN: FileCheck %s --check-prefix=TEXT < %t.cu

// SHARED: regroup.cu:[[@LINE+5]]:{{[0-9]+}}: error: regroup by=i: the kernel uses shared memory ('tile'): regroup moves threads between blocks
// SHARED-NEXT: __shared__ float tile[64];
// SHARED: hint: regroup applies to kernels without shared memory and barriers
__global__ void tiled(float *a) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ float tile[64];
  tile[threadIdx.x] = a[i];
  __syncthreads();
  a[i] = tile[63 - threadIdx.x];
}

// NEIGHBOUR: regroup.cu:[[@LINE+4]]:{{[0-9]+}}: error: regroup by=i: two threads access the same element of 'a' and one of them writes: the result depends on their order
// NEIGHBOUR: note: the read is here
__global__ void smooth(float *a) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  a[i] = 0.5f * (a[i] + a[i + 1]);
}

// LATE: regroup.cu:[[@LINE+11]]:{{[0-9]+}}: error: regroup by=count: the key uses 'count', which is not known at the kernel's start
// LATE: hint: a key is computed before the kernel runs: from parameters and from declarations at its beginning
// DONE: regroup.cu:[[@LINE+4]]:{{[0-9]+}}: remark: regroup by=length[i]: threads of 'steps' are grouped by 'length[i]'; the first launches measure both orders; 1 launch rewritten
// TEXT: struct StepsWays : heddle::Ways<64> {
// TEXT: return heddle::keyOf(length[i]);
// TEXT: heddle::regroup(steps, 4, 64)(a, length, n);
__global__ void steps(float *a, const int *length, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  float sum = 0;
  for (int count = 0; count < length[i]; ++count)
    sum += count;
  a[i] = sum;
}

void run(float *a, int *length, int n) {
  tiled<<<4, 64>>>(a);
  smooth<<<4, 64>>>(a);
  steps<<<4, 64>>>(a, length, n);
}
