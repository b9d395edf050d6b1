// heddle opt --assume whole-program -d interchange

__device__ int limit;
__global__ void k(float *__restrict__ a, const float *__restrict__ b, int n) {
  for (int i = 0; i < limit; ++i)
    for (int limit = 0; limit < 8; ++limit)
      a[i * 8 + limit] = b[limit];
}
int main() { k<<<4, 64>>>(nullptr, nullptr, 0); }
