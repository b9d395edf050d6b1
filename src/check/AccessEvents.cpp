// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "check/AccessEvents.h"

#include <cstring>

namespace heddle::check {
namespace {

/// The byte that a lane's store puts at `offset` of its address; false where it is not known.
bool storedByte(const vm::AccessEvent &event, unsigned lane, unsigned offset, uint8_t &byte) {
  const vm::StoredRows *rows = event.stored;
  if (!rows || !rows->elementBytes)
    return false;
  const unsigned element = offset / rows->elementBytes;
  if (element >= rows->elements || !rows->row[element])
    return false;
  byte = rows->row[element][lane * rows->registerBytes + offset % rows->elementBytes];
  return true;
}

} // namespace

CellValue storedValue(const vm::AccessEvent &event, unsigned lane, uint64_t address, unsigned bytes) {
  uint32_t value = 0;
  for (unsigned b = 0; b < bytes; ++b) {
    uint8_t byte;
    if (!storedByte(event, lane, unsigned(address + b - event.addresses[lane]), byte))
      return std::nullopt;
    value |= uint32_t(byte) << 8 * b;
  }
  return value;
}

CellValue heldValue(const vm::AccessEvent &event, unsigned lane, uint64_t address, unsigned bytes) {
  if (!event.at)
    return std::nullopt;
  uint32_t value = 0;
  std::memcpy(&value, event.at[lane] + (address - event.addresses[lane]), bytes);
  return value;
}

} // namespace heddle::check
