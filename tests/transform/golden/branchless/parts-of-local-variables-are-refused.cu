// heddle opt --assume whole-program -d "branchless line=6"

__global__ void k(int *a, const int *b, int n) {
  int v = b[threadIdx.x];
  int both[2] = {v, n};
  if (v > 0)
    both[0] = n;
  a[threadIdx.x] = both[0] + both[1];
}
