// heddle opt --assume whole-program -d interchange

__device__ int limit;
__global__ void k(float *__restrict__ a, const float *__restrict__ b, int n) {
  int j = 5;
  for (int i = j; i < 20; ++i)
    for (int j = 0; j < 8; ++j)
      a[i * 8 + j] = b[j];
}
int main() { k<<<4, 64>>>(nullptr, nullptr, 0); }
