// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "replay/TextureObjects.h"

#include <gmock/gmock.h>

namespace heddle::replay {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(ParameterTypes, AreThoseOfADemangledName) {
  EXPECT_THAT(parameterTypes("shift(unsigned long long, float*, int)"),
              ElementsAre("unsigned long long", "float*", "int"));
  EXPECT_THAT(parameterTypes("none()"), IsEmpty());
  EXPECT_THAT(parameterTypes("_Z5shiftyPfi"), IsEmpty());
}

TEST(ParameterTypes, CommasInsideOfTypesDoNotSeparate) {
  EXPECT_THAT(
      parameterTypes("void apply<int, float>(Pair<int, float>, void (*)(int, int), unsigned long long)"),
      ElementsAre("Pair<int, float>", "void (*)(int, int)", "unsigned long long"));
}

} // namespace
} // namespace heddle::replay
