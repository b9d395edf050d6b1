// heddle opt --assume whole-program -d "interchange line=7"

__device__ int limit;
__global__ void k(float *__restrict__ a, const float *__restrict__ b, int n) {
  for (int i = 0; i < 4; ++i) a[i] = b[i];
  for (int j = 0; j < 4; ++j)
    for (int i = 0; i < 8; ++i)
      a[j * 8 + i] = b[i];
}
int main() { k<<<4, 64>>>(nullptr, nullptr, 0); }
