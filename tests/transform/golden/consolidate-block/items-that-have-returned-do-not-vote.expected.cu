// heddle opt --assume whole-program -d "consolidate remap=off delegate=off"

__global__ void k(int *a, const int *b, int n) {
  bool active[2] = {true, true};
  int itemsLeft = 2;
  int vote[2];
  #pragma unroll
  for (unsigned kx = 0; kx < 2; ++kx) {
    const unsigned threadX = threadIdx.x + kx * 32;
    if (b[threadX] < 0)
      { active[kx] = false; --itemsLeft; continue; }
    vote[kx] = (b[threadX] > 5) != 0;
  }
  if (itemsLeft == 0)
    return;
  int count = (__syncwarp(), __popc(__ballot_sync(0xffffffffu, (active[0] && vote[0])))) + (__syncwarp(), __popc(__ballot_sync(0xffffffffu, (active[1] && vote[1]))));
  #pragma unroll
  for (unsigned kx = 0; kx < 2; ++kx) {
    const unsigned threadX = threadIdx.x + kx * 32;
    if (!active[kx])
      continue;
    a[threadX] = count;
  }
}
void f(int *a, const int *b, dim3 shape, int threads) {
  k<<<9, 32>>>(a, b, 7);
}
