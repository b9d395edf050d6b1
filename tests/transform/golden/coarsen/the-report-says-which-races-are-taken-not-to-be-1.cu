// heddle opt --assume whole-program --remarks -d "coarsen x=2"

__global__ void k(float *a, const float *b, int n) {
  a[int(b[threadIdx.x])] = 1.0f;
  a[threadIdx.x] = 2.0f;
}
int main() { k<<<4, 64>>>(nullptr, nullptr, 0); }
