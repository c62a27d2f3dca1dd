// ExtenderPreemptionArgs, with the victims in both forms.

#include "server/extender/extender_args.hpp"
#include "server/extender/json_walk.hpp"
#include "server/extender/pod_reader.hpp"

#include <expected>
#include <string>
#include <utility>
#include <vector>

namespace echelon::server {
namespace {

// One victim: a UID (`is_meta`), or a whole pod.
Problem read_victim(ondemand::value pod, bool is_meta, Victims& victims) {
    std::string uid;
    auto found = for_each_field(pod, "Pods[]", [&](std::string_view name, ondemand::value field) -> Problem {
        if (is_meta)
            return is_named(name, "UID") ? read_string(field, "UID", uid) : std::nullopt;
        if (name != "metadata")
            return std::nullopt;
        return for_each_field(field, "metadata", [&](std::string_view at, ondemand::value leaf) -> Problem {
            return at == "uid" ? read_string(leaf, "metadata.uid", uid) : std::nullopt;
        });
    });
    if (!found && uid.empty())
        found = problem("Pods", "holds a victim without UID");
    victims.uids.push_back(std::move(uid));
    return found;
}

Problem read_victims(ondemand::value value, bool is_meta, Victims& victims) {
    return for_each_field(value, "victims", [&](std::string_view key, ondemand::value inner) -> Problem {
        if (is_named(key, "NumPDBViolations")) {
            if (inner.get_int64().get(victims.pdb_violations) == simdjson::SUCCESS)
                return std::nullopt;
            return problem("NumPDBViolations", "must be an integer");
        }
        if (!is_named(key, "Pods"))
            return std::nullopt;
        return for_each_element(inner, "Pods",
                                [&](ondemand::value pod) -> Problem { return read_victim(pod, is_meta, victims); });
    });
}

Problem read_candidates(ondemand::value value, bool is_meta, std::vector<Victims>& candidates) {
    auto name = is_meta ? "NodeNameToMetaVictims" : "NodeNameToVictims";
    return for_each_field(value, name, [&](std::string_view node, ondemand::value inner) -> Problem {
        if (is_null(inner))
            return std::nullopt;  // A node without victims is no candidate.
        Victims victims{.node = std::string(node)};
        if (auto found = read_victims(inner, is_meta, victims))
            return found;
        candidates.push_back(std::move(victims));
        return std::nullopt;
    });
}

}  // namespace

base::Result<PreemptArgs> parse_preempt_args(std::string_view text) {
    PreemptArgs args;
    std::vector<Victims> meta;
    if (auto found = objection_to(text, "ExtenderPreemptionArgs"))
        return std::unexpected(*found);
    JsonBody body;
    auto found = body.for_each_field(text, [&](std::string_view key, ondemand::value value) -> Problem {
        if (is_named(key, "Pod"))
            return read_pod(value, args.pod);
        if (is_named(key, "NodeNameToMetaVictims"))
            return read_candidates(value, true, meta);
        if (is_named(key, "NodeNameToVictims"))
            return read_candidates(value, false, args.candidates);
        return std::nullopt;
    });
    if (found)
        return std::unexpected(*found);
    if (args.pod.json.empty())
        return base::failure("Pod is missing");
    if (!meta.empty())
        args.candidates = std::move(meta);
    return args;
}

}  // namespace echelon::server
