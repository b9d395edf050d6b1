// heddle opt --assume whole-program -d "coarsen x=2" -d "coarsen x=2"

__global__ void k(float *a, const float *b, int n) {
  a[threadIdx.x] = b[threadIdx.x];
}
int main() { k<<<4, 64>>>(nullptr, nullptr, 0); }
