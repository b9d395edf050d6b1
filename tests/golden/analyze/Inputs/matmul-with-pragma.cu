// A matrix product with tiles, of which a pragma merges threads already.
#include <cuda_runtime.h>

constexpr int Tile = 16, Size = 64;

#pragma heddle coarsen x=2
__global__ void matmul(float *c, const float *a, const float *b) {
  __shared__ float tileA[Tile][Tile], tileB[Tile][Tile];
  const int row = blockIdx.y * Tile + threadIdx.y, column = blockIdx.x * Tile + threadIdx.x;
  float sum = 0;
  for (int start = 0; start < Size; start += Tile) {
    tileA[threadIdx.y][threadIdx.x] = a[row * Size + start + threadIdx.x];
    tileB[threadIdx.y][threadIdx.x] = b[(start + threadIdx.y) * Size + column];
    __syncthreads();
    for (int k = 0; k < Tile; ++k)
      sum += tileA[threadIdx.y][k] * tileB[k][threadIdx.x];
    __syncthreads();
  }
  c[row * Size + column] = sum;
}

int main() {
  constexpr size_t Bytes = Size * Size * sizeof(float);
  float *a, *b, *c;
  cudaMalloc(&a, Bytes);
  cudaMalloc(&b, Bytes);
  cudaMalloc(&c, Bytes);
  cudaMemset(a, 0, Bytes);
  cudaMemset(b, 0, Bytes);
  matmul<<<dim3(Size / Tile, Size / Tile), dim3(Tile, Tile)>>>(c, a, b);
  return cudaDeviceSynchronize() != cudaSuccess;
}
