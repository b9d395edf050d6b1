// heddle opt --assume whole-program -d "consolidate remap=off delegate=on"

// The index of the task's thread is a local variable, which a default argument may not mention, whatever the lambda captures.
__global__ void k(unsigned *a, unsigned n) {
  auto f = [&](unsigned x, unsigned y = threadIdx.x & 7u) { return x * 3u ^ y ^ n; };
  a[blockIdx.x * 32 + threadIdx.x] = f(blockIdx.x);
}
int main() { k<<<4, 32>>>(nullptr, 0); }
