// heddle opt --assume whole-program -d "coarsen x=2"

__global__ void k(float *a, const float *b, int n) {
  bool active[2] = {true, true};
  int itemsLeft = 2;
  __shared__ float s[64];
  #pragma unroll
  for (unsigned kx = 0; kx < 2; ++kx) {
    const unsigned threadX = threadIdx.x + kx * blockDim.x;
    if (b[threadX] < 0.0f)
      { active[kx] = false; --itemsLeft; continue; }
    s[threadX] = 1.0f;
  }
  if (itemsLeft == 0)
    return;
  __syncthreads();
  #pragma unroll
  for (unsigned kx = 0; kx < 2; ++kx) {
    const unsigned threadX = threadIdx.x + kx * blockDim.x;
    if (!active[kx])
      continue;
    a[threadX] = s[threadX];
  }
}
int main() { k<<<4, 64 / 2>>>(nullptr, nullptr, 0); }
