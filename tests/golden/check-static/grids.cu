// Blocks that differ only in a direction whose index the kernel does not read do the same work: whether they race depends on the launch.
//
// RUN: %heddle check %s --static --compiler clang | FileCheck %s

// CHECK-LABEL: kernel 'flat'
// CHECK:       global-memory races between blocks: proved for every input, if index arithmetic does not overflow{{$}}
__global__ void flat(float *a) { a[blockIdx.x * blockDim.x + threadIdx.x] += 1; }

// CHECK-LABEL: kernel 'deep'
// CHECK:       global-memory races between blocks: undecided: whether two blocks access the same bytes
__global__ void deep(float *a) { a[blockIdx.x * blockDim.x + threadIdx.x] += 1; }

// CHECK-LABEL: kernel 'unknown'
// CHECK:       global-memory races between blocks: proved for every input, if index arithmetic does not overflow and the grid is 1 in z, which the kernel does not read{{$}}
__global__ void unknown(float *a) { a[blockIdx.x * blockDim.x + threadIdx.x] += 1; }

int main(int count, char **) {
  flat<<<count, 128>>>(nullptr);
  deep<<<4, 128>>>(nullptr);
  deep<<<dim3(count, 2), 128>>>(nullptr);
  unknown<<<dim3(4, 1, count), 128>>>(nullptr);
}
