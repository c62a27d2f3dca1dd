#pragma once

// Which topologies does a ConfigMap have, and what does a change of it mean? The ConfigMap has Topograph documents
// (`kube/topology/topograph.hpp`), one for each key: plain in `data`, packed (`kube/json/packed_text.hpp`) in
// `binaryData`. A topology is named after its key, without ".json" or ".yaml".
//
// An unusable document leaves the last good one in use. The topology of a removed document is gone. Thread-safe.

#include "kube/decode.hpp"
#include "model/facts/event.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace echelon::app {

class PushedTopologies {
public:
    using Log = std::function<void(const std::string& sentence)>;
    struct Figures {
        std::uint64_t applied = 0;
        std::uint64_t refused = 0;
    };

    explicit PushedTopologies(Log log) : log_(std::move(log)) {}

    [[nodiscard]] std::vector<model::Event> apply(const nlohmann::json& config_map, kube::Change change);
    // The document in use; nullopt: none of this name.
    [[nodiscard]] std::optional<std::string> text_of(std::string_view name) const;
    [[nodiscard]] Figures figures() const;

private:
    struct Kept {
        std::size_t seen = 0;  // Hash of the stored text.
        std::string text;      // The last good document; empty: there was none.
    };

    void take(const std::string& name, const std::string& stored, bool is_packed, std::vector<model::Event>& events);

    const Log log_;
    mutable std::mutex mutex_;
    std::map<std::string, Kept, std::less<>> kept_;  // Guarded by mutex_, like the figures.
    Figures figures_;
};

inline constexpr std::size_t largest_topology = std::size_t{32} << 20;  // Bytes of one document, unpacked.

}  // namespace echelon::app
