// How many bytes does a stored node or pod cost? Counts heap blocks, including the allocator's overhead. Prints a line
// "NAME BYTES" for each; `./dev gates` judges.

#include "bench/model_cases.hpp"
#include "kube/watch/object_store.hpp"

#include <cstdint>
#include <cstdlib>
#include <new>
#include <string>

#include <fmt/format.h>
#include <malloc.h>
#include <nlohmann/json.hpp>

namespace {

// Bytes of the blocks in use; this program has one thread.
std::int64_t in_use = 0;

std::int64_t cost_of(void* block) {
    return static_cast<std::int64_t>(malloc_usable_size(block) + sizeof(std::size_t));
}

void give_back(void* block) {
    if (block != nullptr)
        in_use -= cost_of(block);
    std::free(block);
}

}  // namespace

void* operator new(std::size_t size) {
    void* block = std::malloc(size);
    if (block == nullptr)
        std::abort();
    in_use += cost_of(block);
    return block;
}
void operator delete(void* block) noexcept {
    give_back(block);
}
void operator delete(void* block, std::size_t) noexcept {
    give_back(block);
}

namespace {

using namespace echelon;         // NOLINT(google-build-using-namespace)
using namespace echelon::bench;  // NOLINT(google-build-using-namespace)

constexpr std::uint32_t nodes = 5'000;
constexpr std::uint32_t pods = 30'000;

// Bytes that `fill` keeps, for each piece.
template <typename Fill>
void report(const char* name, std::uint32_t pieces, const Fill& fill) {
    const std::int64_t before = in_use;
    fill();
    fmt::print("{} {}\n", name, (in_use - before) / pieces);
}

nlohmann::json object_number(std::uint32_t number) {
    const model::Pod pod = pod_number(number, nodes);
    return {
        {"metadata", {{"name", pod.name}, {"namespace", pod.ns}, {"uid", pod.uid}, {"resourceVersion", "123456789"}}}};
}

}  // namespace

int main() {
    model::Cluster cluster(model::Profiles{{"default-scheduler", {}}});
    report("bytes-of-a-node", nodes, [&] {
        for (std::uint32_t number = 0; number < nodes; ++number)
            static_cast<void>(cluster.apply(model::NodeSeen{node_number(number)}));
        static_cast<void>(cluster.snapshot());
    });
    report("bytes-of-a-pod", pods, [&] {
        for (std::uint32_t number = 0; number < pods; ++number)
            static_cast<void>(cluster.apply(model::PodSeen{pod_number(number, nodes)}));
        static_cast<void>(cluster.snapshot());
    });
    kube::ObjectStore inventory("v1", "Pod", false, [](const kube::Value&, kube::Change) {});
    report("bytes-of-a-pod-in-the-inventory", pods, [&] {
        for (std::uint32_t number = 0; number < pods; ++number) {
            nlohmann::json object = object_number(number);
            static_cast<void>(inventory.seen(object));
        }
    });
    return inventory.size() == pods ? 0 : 1;
}
