// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A launch of a regrouped kernel: which order is used, and whether it is measured. See heddle/regroup.cuh.
#ifndef HEDDLE_REGROUPING_LAUNCH_CUH
#define HEDDLE_REGROUPING_LAUNCH_CUH

#include <algorithm>
#include <heddle/regrouping/orders.cuh>
#include <map>
#include <memory>
#include <mutex>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace heddle {
namespace regrouping {

// What does not depend on the parameters of a kernel is no template: it is compiled once, not for each kernel.

/// What is known about this kernel on the current device.
inline Site &siteOf(const void *kernel, dim3 grid, dim3 block) {
  static std::mutex access; // launches of several kernels
  const std::lock_guard<std::mutex> guard(access);
  static std::map<std::tuple<const void *, int, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned>,
                  Site>
      sites;
  int device = 0;
  cudaGetDevice(&device);
  return sites[std::make_tuple(kernel, device, grid.x, grid.y, grid.z, block.x, block.y, block.z)];
}

/// The order for launches with these arguments, if there is one.
inline Order *knownOrder(Site &site, cudaStream_t stream, const std::vector<unsigned char> &arguments) {
  for (std::size_t i = 0; i < site.orders.size(); ++i)
    if (site.orders[i]->stream == stream && site.orders[i]->arguments == arguments) {
      std::rotate(site.orders.begin(), site.orders.begin() + i, site.orders.begin() + i + 1);
      return site.orders.front().get();
    }
  return nullptr;
}

inline Order &findOrder(Site &site, cudaStream_t stream, std::vector<unsigned char> arguments) {
  if (Order *known = knownOrder(site, stream, arguments))
    return *known;
  if (site.orders.size() == mostOrders)
    site.orders.pop_back(); // cudaFree waits for launches that still use it
  site.orders.insert(site.orders.begin(), std::unique_ptr<Order>(new Order));
  site.orders.front()->arguments = std::move(arguments);
  site.orders.front()->stream = stream;
  return *site.orders.front();
}

inline void addBytes(std::vector<unsigned char> &all, const void *value, std::size_t bytes) {
  const unsigned char *first = static_cast<const unsigned char *>(value);
  all.insert(all.end(), first, first + bytes);
}

inline void addPointerTo(std::vector<const volatile void *> &all, const volatile void *pointer) {
  all.push_back(pointer);
}

inline bool isAnyTwice(std::vector<const volatile void *> &all) {
  std::sort(all.begin(), all.end());
  return std::adjacent_find(all.begin(), all.end()) != all.end();
}

/// Times of the rounds of a measurement.
struct Rounds {
  std::vector<float> original, ordering, regrouped;
};
inline void addRound(Rounds &rounds, float original, float ordering, float regrouped) {
  rounds.original.push_back(original);
  rounds.ordering.push_back(ordering);
  rounds.regrouped.push_back(regrouped);
}
inline void takeMedians(Site &site, const Rounds &rounds) {
  site.original = medianOf(rounds.original);
  site.ordering = medianOf(rounds.ordering);
  site.regrouped = medianOf(rounds.regrouped);
}

template <class Way, class... Parameters> class Launch {
public:
  using Kernel = void (*)(Regrouped<Way>, Parameters...);
  using CountedKernel = void (*)(Counted, Parameters...);

  Launch(Kernel kernel, CountedKernel countedKernel, dim3 launchGrid, dim3 launchBlock, std::size_t bytes,
         cudaStream_t inStream)
      : function(kernel), counted(countedKernel), grid(launchGrid), block(launchBlock), sharedBytes(bytes),
        stream(inStream) {}

  void operator()(Parameters... arguments) {
    values = std::unique_ptr<std::tuple<Parameters...>>(new std::tuple<Parameters...>(arguments...));
    static std::mutex access;
    const std::lock_guard<std::mutex> guard(access);
    const Mode wanted = wantedMode();
    const unsigned long long all = 1ull * grid.x * grid.y * grid.z * block.x * block.y * block.z;
    const bool isOtherBlock =
        Way::blockX && (block.x != Way::blockX || block.y != Way::blockY || block.z != Way::blockZ);
    if (wanted == Mode::Off || all == 0 || all > mostThreads || isOtherBlock)
      return launchAsIs();
    threads = static_cast<unsigned>(all);
    Site &site = siteOf(reinterpret_cast<const void *>(function), grid, block);
    const Mode mode = wanted == Mode::On ? Mode::On : site.mode;
    if (isCapturing(stream))
      return launchCaptured(site, mode);
    if (mode == Mode::Off)
      return launchAsIs();
    Order &order = findOrder(site, stream, bitsOf(Numbers()));
    if (!order.changed)
      return launchAsIs();
    if (mode == Mode::Measure)
      return Way::mayRepeat && !isOneArrayGivenTwice(Numbers()) ? measure(site, order)
                                                                : measureNext(site, order);
    launchInOrder(site, order);
  }

private:
  using Numbers = std::index_sequence_for<Parameters...>;

  // Arguments
  // -----------------------------------------------------------------------------------------------------

  template <std::size_t... I> std::vector<unsigned char> bitsOf(std::index_sequence<I...>) const {
    std::vector<unsigned char> bits;
    const int order[] = {0, (add(bits, std::get<I>(*values)), 0)...};
    (void)order;
    return bits;
  }
  template <class T> static void add(std::vector<unsigned char> &bits, const T &value) {
    addBytes(bits, &value, sizeof value);
  }

  // Ways to launch
  // -----------------------------------------------------------------------------------------------------

  template <std::size_t... I>
  void launch(const void *kernel, dim3 blocks, void *first, std::tuple<Parameters...> &arguments,
              std::index_sequence<I...>) const {
    void *addresses[] = {first,
                         const_cast<void *>(static_cast<const volatile void *>(&std::get<I>(arguments)))...};
    cudaLaunchKernel(kernel, blocks, block, addresses, sharedBytes, stream);
  }

  void launchAsIs() {
    Regrouped<Way> stays{nullptr, 0, false, grid};
    launch(reinterpret_cast<const void *>(function), grid, &stays, *values, Numbers());
  }

  void launchCaptured(Site &site, Mode mode) {
    Order *known = mode == Mode::On ? knownOrder(site, stream, bitsOf(Numbers())) : nullptr;
    if (known && known->places)
      launchBy(*known);
    else
      launchAsIs();
  }

  void launchBy(Order &order) {
    std::tuple<Parameters...> arguments = *values;
    Regrouped<Way> regrouped{order.places, order.placeCount,
                             layOut(order, arguments, typename Way::LaidOut()), grid};
    const unsigned inBlock = block.x * block.y * block.z;
    const dim3 blocks = Way::hasQueues ? dim3((order.placeCount + inBlock - 1) / inBlock) : grid;
    launch(reinterpret_cast<const void *>(function), blocks, &regrouped, arguments, Numbers());
    if (regrouped.isLaidOut)
      putBack(order, typename Way::LaidOut());
  }

  /// Computes keys and sorts them. Returns true if this has executed the launch, as counting does.
  bool makeOrder(Order &order) {
    unsigned *keys = order.keys.storage<unsigned>(threads);
    order.places = nullptr;
    if (!keys)
      return false;
    const bool isGiven = givenOrder().size() == threads;
    if (!isGiven || !counted)
      findKeysInto(keys, HasKey(), Numbers());
    if (!(isGiven ? takeOrder(order, givenOrder()) : sortKeys<Way>(order, threads)))
      order.places = nullptr;
    return counted && !isGiven;
  }
  template <class Other> static char hasKey(decltype(&Other::key));
  template <class Other> static long hasKey(...);
  using HasKey = std::integral_constant<bool, sizeof(hasKey<Way>(nullptr)) == sizeof(char)>;

  template <std::size_t... I>
  void findKeysInto(unsigned *keys, std::true_type, std::index_sequence<I...>) const {
    findKeys<Way, Parameters...><<<grid, block, 0, stream>>>(keys, std::get<I>(*values)...);
  }
  template <std::size_t... I>
  void findKeysInto(unsigned *keys, std::false_type, std::index_sequence<I...> numbers) const {
    Counted where{keys};
    launch(reinterpret_cast<const void *>(counted), grid, &where, *values, numbers);
  }

  /// Checks asynchronously whether keys have changed; a later launch reads the result.
  template <std::size_t... I> void look(Order &order, std::true_type, std::index_sequence<I...>) const {
    asides::compareKeys<Way, Parameters...><<<grid, block, 0, stream>>>(
        order.changed.ask(), order.keys.storage<unsigned>(threads), std::get<I>(*values)...);
    order.changed.asked(stream);
  }
  template <std::size_t... I> void look(Order &, std::false_type, std::index_sequence<I...>) const {}

  void launchInOrder(Site &site, Order &order) {
    ++order.launches;
    if (order.changed.isThere()) {
      const bool hasChanged = order.changed.take();
      order.changesInARow = hasChanged ? order.changesInARow + 1 : 0;
      order.distance = hasChanged ? 1 : std::min(2 * order.distance, mostDistance);
      order.nextLook = order.launches + order.distance;
      if (hasChanged)
        order.places = nullptr;
    }
    const bool alwaysChanges = order.changesInARow >= 3;
    if (alwaysChanges && !site.sortingPays) {
      site.mode = Mode::Off;
      return launchAsIs();
    }
    const bool isOld = counted && order.launches % countAgain == 0;
    if ((!order.places || alwaysChanges || isOld) && makeOrder(order))
      return;
    if (!order.places)
      return launchAsIs();
    if (!order.changed.isPending() && order.launches >= order.nextLook)
      look(order, HasKey(), Numbers());
    launchBy(order);
  }

  // Measuring
  // -----------------------------------------------------------------------------------------------------

  /// Measures both orders now: the kernel may be executed twice.
  void measure(Site &site, Order &order) {
    launchAsIs(); // the first one is always slow
    makeOrder(order);
    if (!order.places) {
      site.mode = Mode::Off;
      return;
    }
    launchBy(order);
    Rounds rounds;
    for (unsigned round = wantedRounds(); round > 0; --round) {
      const float original = timeOf(stream, [&] { launchAsIs(); });
      const float ordering = timeOf(stream, [&] { makeOrder(order); });
      addRound(rounds, original, ordering, timeOf(stream, [&] { launchBy(order); }));
    }
    takeMedians(site, rounds);
    decide(site, Way::name, threads);
  }

  /// One step per launch: the original order, untimed and then timed; keys and sorting; the new order; once more.
  void measureNext(Site &site, Order &order) {
    switch (site.tried++) {
    case 0: return launchAsIs();
    case 1: site.original = timeOf(stream, [&] { launchAsIs(); }); return;
    case 2:
      if (!makeOrder(order))
        order.places ? launchBy(order) : launchAsIs();
      return;
    default: break;
    }
    bool isLaunched = false;
    if (site.ordering == 0) {
      site.ordering = timeOf(stream, [&] { isLaunched = makeOrder(order); });
      if (isLaunched)
        return;
    }
    if (!order.places && makeOrder(order))
      return;
    if (!order.places) {
      site.mode = Mode::Off;
      return launchAsIs();
    }
    site.regrouped = timeOf(stream, [&] { launchBy(order); });
    decide(site, Way::name, threads);
  }

  // Layout
  // -----------------------------------------------------------------------------------------------------

  template <class T> static void addPointer(std::vector<const volatile void *> &all, T *pointer) {
    addPointerTo(all, pointer);
  }
  template <class T> static void addPointer(std::vector<const volatile void *> &, const T &) {}
  template <std::size_t... I> bool isOneArrayGivenTwice(std::index_sequence<I...>) const {
    std::vector<const volatile void *> all;
    const int order[] = {0, (addPointer(all, std::get<I>(*values)), 0)...};
    (void)order;
    return isAnyTwice(all);
  }

  bool layOut(Order &, std::tuple<Parameters...> &, Layout<>) { return false; }
  /// Replaces arrays by copies in the new order. An array that is passed twice is not copied: what is written to one
  /// copy would be missing in the other.
  template <unsigned... I> bool layOut(Order &order, std::tuple<Parameters...> &arguments, Layout<I...>) {
    static_assert(sizeof...(I) <= sizeof(order.arrays) / sizeof(order.arrays[0]), "too many arrays");
    if (grid.y != 1 || grid.z != 1 || block.y != 1 || block.z != 1 || isOneArrayGivenTwice(Numbers()))
      return false;
    unsigned number = 0;
    void *storages[] = {storageFor(order, number++, std::get<I>(arguments))...};
    for (void *storage : storages)
      if (!storage)
        return false;
    number = 0;
    const int all[] = {
        (takeCopy<holds<I>(typename Way::Overwritten())>(order, storages[number++], std::get<I>(arguments)),
         0)...};
    (void)all;
    return true;
  }
  template <class T> void *storageFor(Order &order, unsigned number, T *) {
    return order.arrays[number].template storage<typename std::remove_const<T>::type>(order.placeCount);
  }
  template <bool IsOverwritten, class T> void takeCopy(Order &order, void *storage, T *&array) {
    using Element = typename std::remove_const<T>::type;
    Element *copy = static_cast<Element *>(storage);
    if (!IsOverwritten)
      gather<Element><<<blocksOf(order.placeCount), 256, 0, stream>>>(
          copy, array, order.places, order.keys.storage<unsigned>(threads), order.placeCount);
    array = copy;
  }

  void putBack(Order &, Layout<>) {}
  template <unsigned... I> void putBack(Order &order, Layout<I...>) {
    unsigned number = 0;
    const int all[] = {(scatterBack(order, number++, std::get<I>(*values)), 0)...};
    (void)all;
  }
  template <class T> void scatterBack(Order &, unsigned, const T *) {} // nothing was written
  template <class T> void scatterBack(Order &order, unsigned number, T *array) {
    scatter<T><<<blocksOf(order.placeCount), 256, 0, stream>>>(
        array, order.arrays[number].template storage<T>(order.placeCount), order.places,
        order.keys.storage<unsigned>(threads), order.placeCount);
  }

  Kernel function;
  CountedKernel counted; ///< null if keys are known without it
  dim3 grid, block;
  std::size_t sharedBytes;
  cudaStream_t stream;
  unsigned threads = 0;
  std::unique_ptr<std::tuple<Parameters...>> values;
};

} // namespace regrouping

} // namespace heddle

#endif // HEDDLE_REGROUPING_LAUNCH_CUH
