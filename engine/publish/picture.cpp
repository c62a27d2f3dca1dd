#include "engine/publish/picture.hpp"

namespace echelon::engine {

std::string_view to_string(SolveResult result) {
    constexpr std::array<std::string_view, solve_result_count> names = {"placed", "infeasible", "budget_exhausted",
                                                                        "stale"};
    return names[static_cast<std::size_t>(result)];
}

std::string_view to_string(WaitResult result) {
    constexpr std::array<std::string_view, wait_result_count> names = {"released", "timeout", "client_gone", "aborted"};
    return names[static_cast<std::size_t>(result)];
}

std::string_view to_string(ClearingResult result) {
    constexpr std::array<std::string_view, clearing_result_count> names = {"placed",    "cheaper", "refused",
                                                                           "timed_out", "changed", "gone"};
    return names[static_cast<std::size_t>(result)];
}

// FNV-1a, so that the place of a UID doesn't depend on the standard library.
std::size_t Picture::shard_of(std::string_view uid) {
    std::uint64_t hash = 14695981039346656037ULL;
    for (char c : uid)
        hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211ULL;
    return hash % shard_count;
}

const Verdict* Picture::verdict(const std::string& uid) const {
    const auto& shard = shards[shard_of(uid)];
    if (!shard)
        return nullptr;
    auto found = shard->find(uid);
    return found == shard->end() ? nullptr : &found->second;
}

}  // namespace echelon::engine
