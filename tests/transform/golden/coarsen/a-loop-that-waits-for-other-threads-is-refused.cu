// heddle opt --assume whole-program -k flag -d "coarsen x=2"
// heddle opt --assume whole-program -k byVariable -d "coarsen x=2"
// heddle opt --assume whole-program -k byBreak -d "coarsen x=2"
// heddle opt --assume whole-program -k byFunction -d "coarsen x=2"
// heddle opt --assume whole-program -k atomics -d "coarsen x=2"
// heddle opt --assume whole-program -k assembly -d "coarsen x=2"

__global__ void flag(volatile int *done, int *out) {
  int i = threadIdx.x;
  while (done[i + 1] == 0)
    ;
  out[i] = 1;
  done[i] = 1;
}

__global__ void byVariable(volatile int *state, const int *next, int count) {
  bool again;
  do {
    again = false;
    for (int v = threadIdx.x + blockIdx.x * blockDim.x; v < count; v += gridDim.x * blockDim.x) {
      int mine = state[v];
      if (mine < 0) {
        const int other = state[next[v]];
        if (other < 0)
          again = true;
        else
          state[v] = other + 1;
      }
    }
  } while (again);
}

__global__ void byBreak(volatile int *done, int *out) {
  for (;;) {
    int now = done[threadIdx.x + 1];
    if (now != 0)
      break;
  }
  done[threadIdx.x] = 1;
  out[threadIdx.x] = 1;
}

__device__ int poll(volatile int *done) { return *done; }
__global__ void byFunction(int *done, int *out) {
  while (poll(done + threadIdx.x + 1) == 0)
    ;
  done[threadIdx.x] = 1;
  out[threadIdx.x] = 1;
}

__global__ void atomics(int *done, int *out) {
  int seen = 0;
  while (seen == 0)
    seen = atomicAdd(&done[threadIdx.x + 1], 0);
  atomicExch(&done[threadIdx.x], 1);
  out[threadIdx.x] = seen;
}

__global__ void assembly(int *done, int *out) {
  int seen = 0;
  while (seen == 0)
    asm volatile("ld.acquire.gpu.global.s32 %0, [%1];" : "=r"(seen) : "l"(done + threadIdx.x + 1) : "memory");
  atomicExch(&done[threadIdx.x], 1);
  out[threadIdx.x] = seen;
}

void f(int *a, int *b) {
  flag<<<1, 64>>>(a, b);
  byVariable<<<4, 64>>>(a, b, 256);
  byBreak<<<1, 64>>>(a, b);
  byFunction<<<1, 64>>>(a, b);
  atomics<<<1, 64>>>(a, b);
  assembly<<<1, 64>>>(a, b);
}
