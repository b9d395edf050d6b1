#include "prelude.h"
// Inline assembly: braces, registers of its own, repeated labels, named barriers.
__global__ void assembly(unsigned *p, unsigned n) {
  unsigned lo, hi;
  for (int i = 0; i < 2; ++i) {
    asm volatile("{ .reg .pred q; .reg .u32 t<3>; setp.ne.u32 q, %0, 0; @q bra DONE; mov.u32 t1, 7; "
                 "st.global.u32 [%1], t1; DONE: }" ::"r"(n + i), "l"(p) : "memory");
    asm volatile("{ .reg .pred q; setp.eq.u32 q, %0, 3; @!q bra DONE; st.global.u32 [%1+4], %0; DONE: }" ::"r"(n),
                 "l"(p) : "memory");
  }
  asm("add.cc.u32 %0, %2, %2; addc.u32 %1, %2, 0;" : "=r"(lo), "=r"(hi) : "r"(n));
  asm volatile("bar.arrive 1, 64; bar.sync %0, 64; membar.gl;" ::"r"(2));
  asm("prmt.b32 %0, %0, %1, 0x3210; bfe.u32 %1, %1, 4, 8;" : "+r"(lo), "+r"(hi));
  p[TID] = lo + hi;
}
