#include "server/extender/health.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace echelon::server {

std::vector<Check> server_checks(bool is_listening, const engine::PublishedState& published) {
    return {
        {"listeners", is_listening ? "" : "a listening socket has died"},
        {"sync", published.is_synced() ? "" : fmt::format("not listed yet: {}", fmt::join(published.unsynced, ", "))},
        {"drain", published.draining ? "shutting down" : ""}};
}

Answer health_answer(const std::vector<Check>& checks, bool verbose) {
    bool is_well = std::ranges::all_of(checks, [](const Check& check) { return check.trouble.empty(); });
    Answer answer{.status = is_well ? 200 : 503, .type = text_type};
    for (const auto& check : checks) {
        if (!check.trouble.empty())
            answer.body += fmt::format("[-]{}: {}\n", check.name, check.trouble);
        if (check.trouble.empty() && verbose)
            answer.body += fmt::format("[+]{}: {}\n", check.name, check.note.empty() ? "ok" : check.note);
    }
    if (is_well)
        answer.body += "ok\n";
    return answer;
}

}  // namespace echelon::server
