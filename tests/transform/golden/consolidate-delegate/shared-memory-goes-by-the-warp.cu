// heddle opt --assume whole-program -d "consolidate remap=off delegate=on"

__global__ void k(float *a, int n) {
  __shared__ float s[64], sum;
  s[threadIdx.x] = n;
  __syncwarp();
  a[threadIdx.x] = s[0] + sum;
}
int main() { k<<<4, 32>>>(nullptr, 0); }
