// heddle opt --assume whole-program -d interchange

__device__ int limit;
__global__ void k(float *__restrict__ a, const float *__restrict__ b, int n) {
  for (int limit2 = 0; limit2 < 8; ++limit2)
    for (int i = 0; i < limit; ++i)
      a[i * 8 + limit2] = b[limit2];
}
int main() { k<<<4, 64>>>(nullptr, nullptr, 0); }
