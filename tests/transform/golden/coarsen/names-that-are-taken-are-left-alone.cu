// heddle opt --assume whole-program -d "coarsen x=2"

__global__ void k(float *a, const float *b, int n) {
  int threadX = threadIdx.x, kx = 1;
  a[threadX] = kx;
}
int main() { k<<<4, 64>>>(nullptr, nullptr, 0); }
