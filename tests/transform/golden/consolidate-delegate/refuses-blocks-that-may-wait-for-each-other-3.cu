// heddle opt --assume whole-program -d "consolidate remap=off delegate=on"

__global__ void k(float *a, int n) {
  volatile __shared__ float s[32];
  while (s[0] < n)
    s[0] += 1.0f;
}
int main() { k<<<4, 32>>>(nullptr, 0); }
