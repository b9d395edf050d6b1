// heddle opt --assume whole-program -d "coarsen x=2"

__global__ void k(float *a) {
  a[threadIdx.y * 16 + threadIdx.x] = 1.0f;
}
int main() { dim3 block(16, 4); k<<<1, block>>>(nullptr); k<<<2, block>>>(nullptr); }
