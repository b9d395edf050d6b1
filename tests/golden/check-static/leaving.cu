// Threads that exit before they access memory or reach a barrier, with n unknown: what is proved holds for every n.
//
// RUN: not %heddle check %s --static --compiler clang | FileCheck %s
// RUN: %heddle check %s --static --compiler clang -k own --param n=100 --ctaid 0 --grid 1 | FileCheck %s --check-prefix=GIVEN
// RUN: %heddle check %s --static --compiler clang -k own --param n=100 --ctaid 0 --grid 1 --json | FileCheck %s --check-prefix=JSON

// CHECK:      holds: kernel 'own': all 7 properties, for every input, under the assumptions below (1 barrier round)
// CHECK:      barrier use: proved for every input, if threads that have ended count as arrived at __syncthreads(){{$}}
// GIVEN:      holds: kernel 'own': all 7 properties, for every input with n = 100, blockIdx = (0, 0, 0) and gridDim = (1, 1, 1), under the assumptions below (1 barrier round)
// GIVEN:      shared-memory races: proved for every input, if n = 100 and blockIdx = (0, 0, 0) and gridDim = (1, 1, 1){{$}}
// JSON:       "given": [
// JSON-NEXT:  "n = 100",
// JSON-NEXT:  "blockIdx = (0, 0, 0)",
// JSON-NEXT:  "gridDim = (1, 1, 1)"
// JSON:       "assuming": [
// JSON-NEXT:  "n = 100",
__global__ void own(float *out, const float *in, int n) {
  __shared__ float s[128];
  int i = blockIdx.x * 128 + threadIdx.x;
  if (i >= n)
    return;
  s[threadIdx.x] = in[i];
  __syncthreads();
  out[i] = s[threadIdx.x];
}

// The last block may have threads that read what no thread has written.
// CHECK:      leaving.cu:[[#@LINE+9]]:{{.*}}: warning: undecided: this reads what another thread writes, and whether that thread has exited before depends on parameter 'n' and blockIdx [initialization]
// CHECK:      undecided: kernel 'others': 6 of 7 properties proved (1 barrier round)
__global__ void others(float *out, const float *in, int n) {
  __shared__ float s[128];
  int i = blockIdx.x * 128 + threadIdx.x;
  if (i >= n)
    return;
  s[threadIdx.x] = in[i];
  __syncthreads();
  out[i] = s[127 - threadIdx.x];
}

// CHECK:      leaving.cu:[[#@LINE+8]]:{{.*}}: error: race: s[{{.*}}] is written here by thread {{.*}} [race/shared]
// CHECK:      fails: kernel 'races': 1 finding
// CHECK-NEXT: block (128), from the launch
__global__ void races(float *out, const float *in, int width, int height) {
  __shared__ float s[128];
  int x = threadIdx.x, y = blockIdx.x;
  if (x >= width || y >= height)
    return;
  s[x] = in[y * width + x];
  out[y * width + x] = s[127 - x];
  __syncthreads();
}

// Threads that have worked before they exit: legal, as the dynamic check reports, and undecided.
// CHECK:      leaving.cu:[[#@LINE+8]]:{{.*}}: warning: undecided: some threads of the block exit before this barrier, after they have accessed memory or reached a barrier [barrier-use, deadlock]
// CHECK:      leaving.cu:{{.*}}: note: they end here: let them reach the barrier too
// CHECK:      undecided: kernel 'worked': 2 of 7 properties proved (2 barrier rounds)
// CHECK:      barrier use: undecided: some threads
__global__ void worked(float *out) {
  __syncthreads();
  if (threadIdx.x >= 32)
    return;
  __syncthreads();
  out[blockIdx.x * 32 + threadIdx.x] = 1;
}

int main() {
  worked<<<8, 128>>>(nullptr);
  own<<<8, 128>>>(nullptr, nullptr, 1000);
  others<<<8, 128>>>(nullptr, nullptr, 1000);
  races<<<8, 128>>>(nullptr, nullptr, 100, 8);
}
