#pragma once

// Which gangs do tests of Koordinator's `only-waiting` use? Only waiting members count toward their minimums.

#include "unit-tests/engine/support/rig.hpp"

#include <optional>
#include <string>
#include <variant>

namespace echelon::engine::test {

// On one rack of eight hosts.
inline void gang_of_three(Rig& rig) {
    rig.fabric(1, 1, 8);
    rig.gang({"train", 3, rack_key});
    rig.change_gang("train", [](model::Group& group) { group.policy.counts_only_waiting = true; });
}

// Runs `rounds` attempts of kube-scheduler.
inline void schedule(Rig& rig, int rounds = 3) {
    for (int i = 0; i < rounds; ++i) {
        rig.schedule_all();
        rig.advance(Time{10'000});
    }
}

// Two groups of two waiting members each; one group is enough.
inline void one_of_two_groups(Rig& rig) {
    rig.fabric(1, 1, 8);
    model::Group root;
    root.key = {"compositepodgroup", "default/all"};
    root.kind = model::GroupKind::composite;
    root.minimum = 1;
    root.uid = "group-all";
    root.api_version = "scheduling.k8s.io/v1alpha3";
    root.api_kind = "CompositePodGroup";
    rig.add_group("all", root);
    for (const char* name : {"a", "b"}) {
        rig.gang({name, 2, ""});
        rig.change_gang(name, [&](model::Group& group) {
            group.parent = root.key;
            group.policy.counts_only_waiting = true;
        });
    }
}

// Delays the answer to the pod's binding, until `is_late` is empty again.
inline void delay_binding(Rig& rig, const std::string& pod) {
    rig.is_late = [pod](const model::Write& write) {
        const auto* bind = std::get_if<model::BindPod>(&write);
        return bind != nullptr && bind->pod.name == pod;
    };
}

// Loses the pod's binding, without any answer.
inline void lose_binding(Rig& rig, const std::string& pod) {
    rig.fate = [pod](const model::Write& write) -> std::optional<model::Outcome> {
        const auto* bind = std::get_if<model::BindPod>(&write);
        if (bind == nullptr || bind->pod.name != pod)
            return std::nullopt;
        return model::Outcome{model::Outcome::Kind::unknown, "connection lost", "", ""};
    };
}

}  // namespace echelon::engine::test
