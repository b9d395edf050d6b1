// heddle opt --assume whole-program -d interchange

__device__ int limit;
__global__ void k(float *__restrict__ a, const float *__restrict__ b, int n) {
  int j = 5;
  for (int j2 = 0; j2 < 8; ++j2)
    for (int i = j; i < 20; ++i)
      a[i * 8 + j2] = b[j2];
}
int main() { k<<<4, 64>>>(nullptr, nullptr, 0); }
