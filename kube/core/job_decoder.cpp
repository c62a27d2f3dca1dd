#include "kube/core/job_decoder.hpp"

#include <cstdint>

namespace echelon::kube {

model::JobSeen read_job(const Field& object, const Metadata& metadata) {
    constexpr std::int64_t longest = 1'000'000'000'000;  // Seconds.
    const auto deadline = object.at("spec").integer("activeDeadlineSeconds", 0, longest);
    const auto start = object.at("status").seconds("startTime");
    return {.uid = metadata.uid.empty() ? metadata.full_name() : metadata.uid,
            .ends = deadline && start > 0 ? start + *deadline : 0};
}

}  // namespace echelon::kube
