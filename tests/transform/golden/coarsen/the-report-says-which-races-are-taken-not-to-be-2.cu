// heddle opt --assume whole-program --remarks -d "coarsen x=2"

__global__ void k(float *a, const float *b, int n) {
  a[threadIdx.x] = b[0];
}
int main() { k<<<4, 64>>>(nullptr, nullptr, 0); }
