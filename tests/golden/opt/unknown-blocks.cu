// A verdict of the static check holds for the blocks that it was made for. A launch whose block or dynamic shared memory is known at
// run time only is therefore reported, also where another launch of the kernel was checked.
// RUN: %heddle opt %s -o %t.cu -k reverse -d "launch-bounds threads=512" --cuda-path none --compiler clang 2>&1 | FileCheck %s --check-prefix=SILENT --match-full-lines
// SILENT: {{.*}}unknown-blocks.cu.tmp.cu:[[# @LINE + 37]]:3: warning: not checked: this launch of kernel 'reverse': its block is not known: {{.*}}
// SILENT-NOT: {{.*}}proved{{.*}}

// RUN: %heddle opt %s -o %t.cu -k reverse -d "launch-bounds threads=512" --cuda-path none --compiler clang --remarks 2>&1 | FileCheck %s --check-prefix=REMARKS
// REMARKS: warning: not checked: this launch of kernel 'reverse': its block is not known
// REMARKS: hint: heddle check --static {{.*}}unknown-blocks.cu.tmp.cu --block X,Y,Z checks it for one block size
// REMARKS: undecided: kernel 'reverse': 6 of 7 properties proved
// REMARKS-NEXT: block (256), from the launch at {{.*}}unknown-blocks.cu.tmp.cu:[[# @LINE + 29]]
// REMARKS-NEXT: shared-memory races: proved for every input

// RUN: %heddle opt %s -o %t.cu -k scratch -d launch-bounds --cuda-path none --compiler clang 2>&1 | FileCheck %s --check-prefix=SHARED
// SHARED: unknown-blocks.cu.tmp.cu: warning: kernel 'scratch': undecided: {{.*}}shared-memory bounds (the size of dynamic shared memory is unknown: 'argc' is a parameter

// RUN: %heddle opt %s -o %t.cu -k nobody -d "launch-bounds threads=64" --cuda-path none --compiler clang 2>&1 | FileCheck %s --check-prefix=NONE
// NONE: unknown-blocks.cu.tmp.cu: warning: not checked: kernel 'nobody': the file does not launch it
// NONE-NEXT: hint: heddle check --static {{.*}}unknown-blocks.cu.tmp.cu --block X,Y,Z checks it for one block size

__global__ void reverse(int *d) {
  __shared__ int s[256];
  int t = threadIdx.x;
  s[t] = d[t];
  __syncthreads();
  d[t] = s[blockDim.x - 1 - t];
}

__global__ void scratch(int *d) {
  extern __shared__ int rows[];
  rows[threadIdx.x] = 1;
  d[threadIdx.x] = rows[threadIdx.x];
}

__global__ void nobody(int *d) { d[threadIdx.x] = 1; }

int main(int argc, char **) {
  int *d, b = argc > 1 ? 512 : 256;
  cudaMalloc(&d, 512 * sizeof(int));
  reverse<<<1, 256>>>(d);
  reverse<<<1, b>>>(d);
  scratch<<<1, 64, b>>>(d);
}
