// Without --block, a kernel is checked for the blocks that the file launches it with.
//
// RUN: %heddle check %s --static --compiler clang | FileCheck %s
// RUN: %heddle check %s --static --compiler clang -k apart --json | FileCheck %s --check-prefix=JSON
// RUN: %heddle check %s --static --compiler clang -k apart --block 32 | FileCheck %s --check-prefix=GIVEN

// Launches that agree are decided once.
// CHECK-LABEL: kernel 'agree'
// CHECK-NEXT: {{^}}  block (16, 16), from the launches at {{.*}}launches.cu:[[#@LINE+51]] and {{.*}}launches.cu:[[#@LINE+52]]{{$}}
// CHECK-NEXT: shared-memory races: proved for every input
__global__ void agree(float *out, const float *in) {
  __shared__ float tile[16][17];
  tile[threadIdx.y][threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  out[threadIdx.y * 16 + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}

// Others are decided apart: a warp by itself needs no block-wide barrier.
// CHECK-LABEL: kernel 'apart'
// CHECK-NEXT: {{^}}  block (32), from the launch at {{.*}}launches.cu:[[#@LINE+43]]{{$}}
// CHECK:      {{.*}}: warning: undecided: the block of this launch is unknown at compile time: 'count' is a parameter
// CHECK:      hint: --block X[,Y[,Z]] checks the kernel for a block of that size
// CHECK-NEXT: undecided: kernel 'apart': 0 of 7 properties proved
// JSON:       "verdict": "undecided"
// JSON:       "kernel": "apart"
// JSON:       "block": [
// JSON-NEXT:  32,
// JSON-NEXT:  1,
// JSON-NEXT:  1
// JSON-NEXT:  ],
// JSON-NEXT:  "dynamicSharedBytes": 0,
// JSON-NEXT:  "launches": [
// GIVEN:      kernel 'apart'
// GIVEN-NEXT: shared-memory races: proved for every input
// GIVEN-NOT:  kernel 'apart'
__global__ void apart(int *out) {
  __shared__ int cell[32];
  cell[threadIdx.x % 32] = threadIdx.x;
  __syncwarp();
  out[blockIdx.x * blockDim.x + threadIdx.x] = cell[31 - threadIdx.x % 32];
}

// Dynamic shared memory is taken along.
// CHECK-LABEL: kernel 'dynamic'
// CHECK-NEXT: {{^}}  block (64), 256 bytes of dynamic shared memory, from the launch at {{.*}}launches.cu:[[#@LINE+20]]{{$}}
// CHECK:      shared-memory bounds: proved for every input
__global__ void dynamic(int *out) {
  extern __shared__ int memory[];
  memory[threadIdx.x] = threadIdx.x;
  __syncthreads();
  out[threadIdx.x] = memory[63 - threadIdx.x];
}

// Nothing launches it.
// CHECK-LABEL: warning: undecided: the file does not launch kernel 'idle'
__global__ void idle(int *out) { out[threadIdx.x] = 1; }

int main(int count, char **) {
  const dim3 block(16, 16);
  agree<<<1, block>>>(nullptr, nullptr);
  agree<<<2, dim3(16, 16)>>>(nullptr, nullptr);
  int threads = 32 * count;
  apart<<<4, 32>>>(nullptr);
  apart<<<4, threads>>>(nullptr);
  dynamic<<<1, 64, 64 * sizeof(int)>>>(nullptr);
}
