// heddle opt --assume whole-program -d "coarsen x=2 y=4"

__global__ void k(float *a, const float *b) {
  __shared__ float s[8][8];
  float mine = b[threadIdx.y * 8 + threadIdx.x];
  s[threadIdx.y][threadIdx.x] = mine;
  __syncthreads();
  a[threadIdx.y * 8 + threadIdx.x] = s[threadIdx.x][threadIdx.y] - mine;
}
int main() { k<<<1, dim3(8, 8)>>>(nullptr, nullptr); }
