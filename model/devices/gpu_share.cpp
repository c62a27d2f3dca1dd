#include "model/devices/gpu_share.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace echelon::model {

namespace {

using Share = std::pair<std::string_view, std::string_view>;

// Names of Koordinator (apis/extension/device_share.go) and of HAMi (its documentation of tasks with a part of a GPU).
constexpr std::array shares = {Share{"koordinator.sh/gpu", "Koordinator"},
                               Share{"koordinator.sh/gpu-core", "Koordinator"},
                               Share{"koordinator.sh/gpu-memory", "Koordinator"},
                               Share{"koordinator.sh/gpu-memory-ratio", "Koordinator"},
                               Share{"koordinator.sh/gpu.shared", "Koordinator"},
                               Share{"nvidia.com/gpucores", "HAMi"},
                               Share{"nvidia.com/gpumem", "HAMi"},
                               Share{"nvidia.com/gpumem-percentage", "HAMi"}};

}  // namespace

std::string_view shared_out_by(std::string_view resource) {
    const auto* found = std::ranges::find(shares, resource, &Share::first);
    return found == shares.end() ? std::string_view() : found->second;
}

}  // namespace echelon::model
