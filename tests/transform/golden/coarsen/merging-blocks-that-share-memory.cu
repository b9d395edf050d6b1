// heddle opt --assume whole-program -d "coarsen grid=2"

__global__ void k(float *a, const float *b, int n) {
  __shared__ float s[64];
  s[threadIdx.x] = 1.0f;
  a[threadIdx.x] = s[threadIdx.x];
}
int main() { k<<<4, 64>>>(nullptr, nullptr, 0); }
