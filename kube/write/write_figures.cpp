#include "kube/write/write_figures.hpp"

#include <algorithm>
#include <variant>

#include <fmt/format.h>

namespace echelon::kube {

namespace {

constexpr std::chrono::seconds failure_window{60};
constexpr std::array known_statuses = {200, 201, 400, 401, 403, 404, 409, 422, 429, 500, 502, 503, 504};
constexpr std::size_t other_code = known_statuses.size();
constexpr std::size_t no_code = other_code + 1;

struct KindNamer {
    std::optional<WriteKind> operator()(const model::BindPod&) const { return WriteKind::bind; }
    std::optional<WriteKind> operator()(const model::NominatePod&) const { return WriteKind::nominate; }
    std::optional<WriteKind> operator()(const model::UngatePod&) const { return WriteKind::ungate; }
    std::optional<WriteKind> operator()(const model::KickPod&) const { return WriteKind::kick; }
    std::optional<WriteKind> operator()(const model::ApplyPlan&) const { return WriteKind::plan; }
    std::optional<WriteKind> operator()(const model::DeletePlan&) const { return WriteKind::plan_deletion; }
    std::optional<WriteKind> operator()(const model::EmitGangEvent&) const { return WriteKind::event; }
    std::optional<WriteKind> operator()(const model::WritePlacementScore&) const { return WriteKind::score; }
    std::optional<WriteKind> operator()(const model::WriteGroupCondition&) const { return WriteKind::condition; }
    std::optional<WriteKind> operator()(const model::EvictPod&) const { return WriteKind::evict; }
    std::optional<WriteKind> operator()(const model::ReadPod&) const { return std::nullopt; }
    std::optional<WriteKind> operator()(const model::ReadGroup&) const { return std::nullopt; }
};

}  // namespace

std::size_t answer_code(const HttpAnswer& answer) {
    if (answer.ending != HttpAnswer::Ending::complete)
        return no_code;
    const auto* at = std::ranges::find(known_statuses, answer.status);
    return static_cast<std::size_t>(at - known_statuses.begin());  // The end is `other_code`.
}

std::optional<WriteKind> kind_of(const model::Write& write) {
    return std::visit(KindNamer{}, write);
}

HttpAnswer WriteFigures::counted(WriteKind kind, HttpAnswer answer) {
    counts_.at(static_cast<std::size_t>(kind)).at(answer_code(answer)).fetch_add(1, std::memory_order_relaxed);
    return answer;
}

void WriteFigures::failed(WriteKind kind, const std::string& sentence, std::chrono::steady_clock::time_point now) {
    {
        const std::lock_guard lock(mutex_);
        auto& failures = failures_.at(static_cast<std::size_t>(kind));
        if (failures.count == 0 || now - failures.began >= failure_window)
            failures = {.began = now, .count = 0};
        if (++failures.count != 2 || !warn_)
            return;
    }
    warn_(fmt::format("writes of kind {} keep failing, and echelon_writes_total counts them; one of them: {}",
                      write_kinds.at(static_cast<std::size_t>(kind)), sentence));
}

WriteCounts WriteFigures::counts() const {
    WriteCounts counts{};
    for (std::size_t kind = 0; kind < counts.size(); ++kind) {
        for (std::size_t code = 0; code < counts[kind].size(); ++code)
            counts[kind][code] = counts_[kind][code].load(std::memory_order_relaxed);
    }
    return counts;
}

}  // namespace echelon::kube
