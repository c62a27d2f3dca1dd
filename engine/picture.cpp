#include "engine/picture.hpp"

namespace echelon::engine {

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
