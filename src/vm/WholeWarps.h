// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "vm/Compiled.h"
#include "vm/Frame.h"

#include <optional>
#include <vector>

namespace heddle::vm {

class Block;
struct Core;
enum class BlockEnd : uint8_t;

/// What of it is the same for all warps of a block.
void prepareForBlock(CompiledState &state, const Block &block, Core &core);

/// A round over the warps of a block: what their slices were so far.
struct Round {
  unsigned number = 0;
  size_t turn = 0; ///< the next warp's
  bool moved = false, deferred = false, done = true, idle = true;
};

/// Where the warps of a block continue that do not run whole any more.
struct RestOfSlice {
  bool isInside = false; ///< a slice has begun
  uint32_t budget = 0;
  uint64_t countedBefore = 0;         ///< of the block, at the begin of the slice
  std::optional<EnteredCode> entered; ///< compiled code has returned, and nobody has looked why
};

/// The warps of a block for as long as lanes of each are together, and nothing happens but what compiled code does and barriers of the whole
/// block (WholeWarps.cpp).
class WholeWarps {
public:
  bool areActive = false;
  bool areSeparating = false; ///< what warps did is done again, for their usual state: observers have seen it

  /// At the begin of a block, of which `block` has no warp started yet: whether its warps run whole at first.
  bool start(Block &block);
  /// Nothing: the warps are separate, and `round` and `rest` are where they continue.
  std::optional<BlockEnd> run(Block &block, Core &core, Round &round, RestOfSlice &rest);
  /// Warps get the state that everything else works on.
  void separate(Block &block);

private:
  enum class Stage : uint8_t { Fresh, Ready, Waits, Done };
  enum class Stop : uint8_t { Budget, Blocked, Done, Separate };
  struct Member {
    Split split; ///< of all lanes; its frame is nullptr if the warp has to be started in the usual way first
    uint32_t from = 0; ///< the inst before that of the split
    Stage stage = Stage::Fresh;
  };

  Stop slice(Block &block, RestOfSlice &rest);
  void prepare(const CompiledWarp &warp);
  void catchUp();
  bool canStep(const Split &split, const Inst &in, uint32_t rounds, Split &behind) const;
  void releaseIfComplete(Block &block);
  void reportStep(Block &block, Warp &warp, const Inst &in);

  std::vector<Member> members;
  std::vector<CompiledWarp> warps; ///< what compiled code needs of each member
  const Code *code = nullptr;
  const CompiledCode *compiled = nullptr;
  CompiledState state;
  Core *core = nullptr;
  size_t waiting = 0, done = 0, firstAtBarrier = 0;
  size_t running = 0; ///< the member whose turn it is
};

} // namespace heddle::vm
