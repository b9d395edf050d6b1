// heddle opt --assume whole-program -d "branchless line=7" -d "branchless line=12"

__global__ void k(int *a, const int *b, int n) {
  int v = b[threadIdx.x];
  unsigned char c = 250;
  int whole = 16777217;
  const unsigned char cIfTrue = c - v;
  const unsigned char cIfFalse = v;
  c = v > 0 ? cIfTrue : cIfFalse;
  short s = 4;
  const short sIfTrue = s << 2;
  const int wholeIfTrue = whole + 0.5f;
  const bool isTaken = v > 7;
  s = isTaken ? sIfTrue : s;
  whole = isTaken ? wholeIfTrue : whole;
  a[threadIdx.x] = c + s + whole;
}
