#define TILE 16
__global__ void twice(float *a) { a[threadIdx.x] *= 2.0f; }
int main() {
  float *a;
  cudaMalloc(&a, TILE * sizeof(float));
}
