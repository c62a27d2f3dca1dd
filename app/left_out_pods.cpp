#include "app/left_out_pods.hpp"

#include "base/quoted.hpp"

#include <cstddef>
#include <map>
#include <string_view>
#include <variant>

#include <fmt/format.h>

namespace echelon::app {

std::vector<std::string> left_out_pods(const std::vector<model::Event>& events, const model::Profiles& profiles) {
    std::map<std::string_view, std::size_t> counts;
    for (const auto& event : events) {
        const auto* seen = std::get_if<model::PodSeen>(&event);
        if (seen == nullptr || !seen->pod.membership || profiles.contains(seen->pod.scheduler_name))
            continue;
        if (seen->pod.node.empty() && !seen->pod.is_finished() && !seen->pod.deleting)
            ++counts[seen->pod.scheduler_name];
    }
    std::vector<std::string> sentences;
    for (const auto& [scheduler, pods] : counts) {
        sentences.push_back(fmt::format("left out {} of gangs: no profile has schedulerName {}",
                                        pods == 1 ? "1 pod" : fmt::format("{} pods", pods), base::quoted(scheduler)));
    }
    return sentences;
}

}  // namespace echelon::app
