// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Cuts a CHEMKIN file into its blocks: ELEMENTS, SPECIES, THERMO, TRANSPORT, REACTIONS.
#pragma once

#include "chem/SourceText.h"

#include <optional>
#include <string>
#include <vector>

namespace heddle::chem {

enum class Block { Elements, Species, Thermo, Transport, Reactions };

struct ChemkinBlock {
  Block kind;
  std::optional<Line> header; ///< the line with the keyword; none where a file begins without one
  std::vector<Word> options;  ///< what follows the keyword of THERMO, TRANSPORT and REACTIONS
  std::vector<Line> lines;    ///< blank and comment lines left out

  /// `THERMO ALL`: nothing else is needed.
  bool isAll() const;
};

/// Words in `options` point into `lines` of this object, so it is not copied.
struct ChemkinBlocks {
  explicit ChemkinBlocks(const SourceText &source) : lines(splitLines(source)) {}
  ChemkinBlocks(const ChemkinBlocks &) = delete;
  ChemkinBlocks &operator=(const ChemkinBlocks &) = delete;

  std::vector<Line> lines;
  std::vector<ChemkinBlock> blocks;

  std::vector<const ChemkinBlock *> of(Block kind) const;
};

/// A block runs up to END, or to the next keyword where END is missing. A thermo or transport file may begin
/// without a keyword: `initial` says what its first lines are. In a reaction file, a line outside of any
/// block is an error.
void cutIntoBlocks(ChemkinBlocks &file, std::optional<Block> initial, Diagnostics &diagnostics);

/// The end of a hint at something that is given again: the option that accepts it, where it is refused.
std::string orPermissive(Severity repeats);

} // namespace heddle::chem
