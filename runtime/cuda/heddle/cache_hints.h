// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loads and stores with a hint for the caches that Clang's intrinsics lack: __ldca, __ldlu, __stwb, __stcg,
// __stcs.
#pragma once

#define HEDDLE_DEVICE static __device__ __forceinline__

#define HEDDLE_LOAD1(name, hint, type, ptx, r, word)                                                         \
  HEDDLE_DEVICE type name(const type *at) {                                                                  \
    word x;                                                                                                  \
    asm volatile("ld.global." hint "." ptx " %0, [%1];" : "=" r(x) : "l"(at) : "memory");                    \
    return (type)x;                                                                                          \
  }
#define HEDDLE_LOAD2(name, hint, type, element, ptx, r, word)                                                \
  HEDDLE_DEVICE type name(const type *at) {                                                                  \
    word x, y;                                                                                               \
    asm volatile("ld.global." hint ".v2." ptx " {%0, %1}, [%2];" : "=" r(x), "=" r(y) : "l"(at) : "memory"); \
    return type{(element)x, (element)y};                                                                     \
  }
#define HEDDLE_LOAD4(name, hint, type, element, ptx, r, word)                                                \
  HEDDLE_DEVICE type name(const type *at) {                                                                  \
    word x, y, z, w;                                                                                         \
    asm volatile("ld.global." hint ".v4." ptx " {%0, %1, %2, %3}, [%4];"                                     \
                 : "=" r(x), "=" r(y), "=" r(z), "=" r(w)                                                    \
                 : "l"(at)                                                                                   \
                 : "memory");                                                                                \
    return type{(element)x, (element)y, (element)z, (element)w};                                             \
  }
#define HEDDLE_STORE1(name, hint, type, ptx, r, word)                                                        \
  HEDDLE_DEVICE void name(type *at, type a) {                                                                \
    asm volatile("st.global." hint "." ptx " [%0], %1;" ::"l"(at), r((word)a) : "memory");                   \
  }
#define HEDDLE_STORE2(name, hint, type, element, ptx, r, word)                                               \
  HEDDLE_DEVICE void name(type *at, type a) {                                                                \
    asm volatile("st.global." hint ".v2." ptx " [%0], {%1, %2};" ::"l"(at), r((word)a.x), r((word)a.y)       \
                 : "memory");                                                                                \
  }
#define HEDDLE_STORE4(name, hint, type, element, ptx, r, word)                                               \
  HEDDLE_DEVICE void name(type *at, type a) {                                                                \
    asm volatile("st.global." hint ".v4." ptx " [%0], {%1, %2, %3, %4};" ::"l"(at), r((word)a.x),            \
                 r((word)a.y), r((word)a.z), r((word)a.w)                                                    \
                 : "memory");                                                                                \
  }

// A family: its scalar, its vectors, how PTX calls the element, and the register that holds one. Eight-byte
// elements have no vector of four: 32 bytes are more than one access.
#define HEDDLE_HINTS(action, name, hint)                                                                     \
  action##1(name, hint, char, "s8", "r", int)action##1(name, hint, long, "s64", "l", long long)action##1(    \
      name, hint, unsigned long, "u64", "l",                                                                 \
      unsigned long long)HEDDLE_FAMILY(action, name, hint, signed char, char, "s8", "r", int)                \
      HEDDLE_FAMILY(action, name, hint, unsigned char, uchar, "u8", "r", unsigned int)                       \
          HEDDLE_FAMILY(action, name, hint, short, short, "s16", "h", short)                                 \
              HEDDLE_FAMILY(action, name, hint, unsigned short, ushort, "u16", "h", unsigned short)          \
                  HEDDLE_FAMILY(action, name, hint, int, int, "s32", "r", int)                               \
                      HEDDLE_FAMILY(action, name, hint, unsigned int, uint, "u32", "r", unsigned int)        \
                          HEDDLE_FAMILY(action, name, hint, float, float, "f32", "f", float)                 \
                              HEDDLE_PAIR(action, name, hint, long long, longlong, "s64", "l", long long)    \
                                  HEDDLE_PAIR(action, name, hint, unsigned long long, ulonglong, "u64", "l", \
                                              unsigned long long)                                            \
                                      HEDDLE_PAIR(action, name, hint, double, double, "f64", "d", double)
#define HEDDLE_PAIR(action, name, hint, scalar, family, ptx, r, word)                                        \
  action##1(name, hint, scalar, ptx, r, word)action##2(name, hint, family##2, scalar, ptx, r, word)
#define HEDDLE_FAMILY(action, name, hint, scalar, family, ptx, r, word)                                      \
  HEDDLE_PAIR(action, name, hint, scalar, family, ptx, r, word)                                              \
  action##4(name, hint, family##4, scalar, ptx, r, word)

HEDDLE_HINTS(HEDDLE_LOAD, __ldca, "ca")
HEDDLE_HINTS(HEDDLE_LOAD, __ldlu, "lu")
HEDDLE_HINTS(HEDDLE_STORE, __stwb, "wb")
HEDDLE_HINTS(HEDDLE_STORE, __stcg, "cg")
HEDDLE_HINTS(HEDDLE_STORE, __stcs, "cs")

#undef HEDDLE_HINTS
#undef HEDDLE_FAMILY
#undef HEDDLE_PAIR
#undef HEDDLE_LOAD1
#undef HEDDLE_LOAD2
#undef HEDDLE_LOAD4
#undef HEDDLE_STORE1
#undef HEDDLE_STORE2
#undef HEDDLE_STORE4
#undef HEDDLE_DEVICE
