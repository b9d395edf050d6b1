// heddle opt --assume whole-program -d "consolidate remap=on delegate=off"

__global__ void k(int *a, const int *b) {
  __shared__ int s[32];
  s[threadIdx.x] = b[threadIdx.x];
  __syncwarp();
  a[threadIdx.x] = s[b[threadIdx.x] & 31];
}
int main() { k<<<1, 32>>>(nullptr, nullptr); }
