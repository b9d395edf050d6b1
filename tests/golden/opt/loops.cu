// Directives on loops by line and by themselves; what is refused shows both places, and nothing is written.
// RUN: rm -f %t.cu
// RUN: not %heddle opt %s -o %t.cu -k blur -d interchange --cuda-path none 2>&1 | FileCheck %s --check-prefix=TURNED
// RUN: not ls %t.cu
// RUN: not %heddle opt %s -o %t.cu -d "unroll-jam factor=2" --cuda-path none 2>&1 | FileCheck %s --check-prefix=WHICH
// RUN: %heddle opt %s -o %t.cu -d "interchange line=26" --cuda-path none --no-check --remarks 2>&1 | FileCheck %s --check-prefix=DONE
// RUN: FileCheck %s --check-prefix=TEXT < %t.cu

// TURNED: loops.cu:21:23: error: this read of 'a[(i - 1) * 16 + j + 1]' depends on the write of 'a[i * 16 + j]' at line 21 in an earlier iteration of 'i' and a later one of 'j', and would come before it [interchange]
// TURNED: loops.cu:21:7: note: the write is here

// WHICH: loops.cu:19:3: error: unroll-jam factor=2: there are several loops: give line=N [unroll-jam]
// WHICH: loops.cu:26:3: note: another is this one, line=26
// WHICH: hint: say which: unroll-jam line=19

// DONE: remark: interchange line=26: the loops over 'i' and 'j' at line 26 changed places [interchange]

__global__ void blur(float *a) {
  for (int i = 1; i < 16; ++i)
    for (int j = 0; j < 15; ++j)
      a[i * 16 + j] = a[(i - 1) * 16 + j + 1];
}

__global__ void copy(float *__restrict__ out, const float *__restrict__ in, int rows, int columns) {
  // TEXT: for (int j = 0; j < columns; ++j)
  for (int i = 0; i < rows; ++i)
    // TEXT: for (int i = 0; i < rows; ++i)
    for (int j = 0; j < columns; ++j)
      out[i * columns + j] = in[i * columns + j];
}
