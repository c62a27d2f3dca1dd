#pragma once

// Which topologies are kept in a ConfigMap, and what does a change of it change? Documents of Topograph
// (`kube/topology/topograph.hpp`), one for each key: as they are in `data`, packed (`kube/json/packed_text.hpp`) in
// `binaryData`. The topology is named after its key, without ".json" or ".yaml".
//
// A document that can't be used keeps what was good before; one that is taken out is gone. Thread-safe.

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
        std::uint64_t taken_up = 0;
        std::uint64_t refused = 0;
    };

    explicit PushedTopologies(Log log) : log_(std::move(log)) {}

    [[nodiscard]] std::vector<model::Event> see(const nlohmann::json& config_map, kube::Change change);
    // The document that is in use; nullopt: there is none of this name.
    [[nodiscard]] std::optional<std::string> text_of(std::string_view name) const;
    [[nodiscard]] Figures figures() const;

private:
    struct Kept {
        std::size_t seen = 0;  // Hash of what the ConfigMap says.
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
