// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "trace/CopyLog.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace heddle::verify {

/// How far two floating-point values may be apart and still count as equal. All zero: not at all, and then
/// +0 and -0 differ as well as two NaNs with different bits.
struct Tolerance {
  uint64_t ulps = 0;
  double relative = 0, absolute = 0;

  bool isExact() const { return !ulps && relative == 0 && absolute == 0; }
};

/// "ulp=4", "rel=1e-6", "abs=0.5", or several with commas between: one of them suffices.
std::optional<Tolerance> readTolerance(std::string_view text);
/// The same words, from which it can be read again; empty where it is exact.
std::string textOf(const Tolerance &tolerance);

/// What the elements of a buffer are. Bytes means "not known".
enum class Element : uint8_t { Bytes, I8, U8, I16, U16, I32, U32, I64, U64, F16, BF16, F32, F64 };
size_t bytesOf(Element element);
const char *nameOf(Element element);

/// Element type of what parameter `parameter` of a kernel with this mangled name points at; Bytes where the
/// name does not say (extern "C", pointers to structs).
Element elementOfParameter(const std::string &mangledKernel, int parameter);
/// "saxpy(float, float const*, float*, int)" of "_Z5saxpyfPKfPfi".
std::string readableName(const std::string &mangled);

/// The type that the values themselves suggest: words that all read as ordinary floats are floats, others
/// integers. For printing elements of buffers whose type no kernel's signature has; a tolerance is never applied by it.
Element guessElement(const std::vector<uint8_t> &bytes);

/// One element as text: "3.5", "-7".
std::string valueText(const uint8_t *bytes, Element element);
bool areClose(const uint8_t *a, const uint8_t *b, Element element, const Tolerance &tolerance);

/// True for a file of copies that some run left behind.
bool isRecording(const std::filesystem::path &file);

/// Where two runs of device-to-host copies part.
struct CopyDifference {
  uint64_t copy = 0;      ///< which one, from 1
  uint64_t copies = 0;    ///< how many there were in the first run
  std::string what;       ///< one sentence where it is not about an element: sizes or counts that differ
  trace::CopyRecord a, b; ///< without their bytes
  std::string parameter;  ///< the name of the kernel's parameter, where the caller knows it
  Element element = Element::Bytes;
  bool isTypeKnown = true; ///< from a kernel's signature; otherwise `element` is a guess, for printing
  bool toleranceWasNotApplied = false; ///< since the type is not known
  uint64_t index = 0;                  ///< of the element in the copy
  std::string valueA, valueB, bitsA, bitsB;
  uint64_t differing = 0, elements = 0; ///< how many of the copy's elements are apart
};

/// Why a tolerance that was given was not applied to the copy, and what helps; empty if it was applied, or if there is none.
std::string toleranceText(const CopyDifference &difference);

/// Reads both logs side by side; nothing where everything that was copied to the host is equal within the tolerance.
/// `copies` gets the number compared. Only device-to-host copies are compared; they are numbered from 1.
std::optional<CopyDifference> compareLogs(const std::string &fileA, const std::string &fileB,
                                          const Tolerance &tolerance, uint64_t &copies,
                                          const std::function<bool(uint64_t copy)> &counts = {});
/// In words that call the first program the original.
std::string textOf(const CopyDifference &difference);

struct LineDifference {
  size_t line = 0; ///< from 1
  std::string a, b;
};
/// Numbers in text are compared with the tolerance, everything else as it is. So are two numbers of which neither has a point or an
/// exponent: integers are exact in copies, too.
std::optional<LineDifference> compareText(std::string_view a, std::string_view b, const Tolerance &tolerance);
/// In words that call the first program the original.
std::string textOf(const LineDifference &difference);

} // namespace heddle::verify
