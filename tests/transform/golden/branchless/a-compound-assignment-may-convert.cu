// heddle opt --assume whole-program -d "branchless line=7" -d "branchless line=12"

__global__ void k(int *a, const int *b, int n) {
  int v = b[threadIdx.x];
  unsigned char c = 250;
  int whole = 16777217;
  if (v > 0) {
    c -= v;
  } else
    c = v;
  short s = 4;
  if (v > 7) {
    s <<= 2;
    whole += 0.5f;
  }
  a[threadIdx.x] = c + s + whole;
}
