#include "config/profiles_section.hpp"

#include "config/preemption_section.hpp"

#include <cstddef>
#include <set>
#include <string>
#include <utility>

#include <fmt/format.h>

namespace echelon::config {

void read_profiles(Section& root, Settings& out, Faults& faults) {
    const Value::Entry* list = root.require("profiles");
    if (!root.is(list, Value::Kind::list, "a list"))
        return;
    if (list->value.items.empty() && root.find("export") == nullptr)
        root.complain(*list, "must have at least one entry, or export be there");
    std::set<std::string> names;
    for (std::size_t i = 0; i < list->value.items.size(); ++i) {
        Section section(list->value.items[i], fmt::format("profiles[{}]", i),
                        {"schedulerName", "gang", "topology", "nominate", "protect", "scores", "preempt", "conditions"},
                        faults);
        Profile profile;
        const Value::Entry* name = section.require("schedulerName");
        section.read_text(name, profile.scheduler_name);
        if (!profile.scheduler_name.empty() && !names.insert(profile.scheduler_name).second) {
            section.complain(*name, fmt::format("{} has a profile already", shown(profile.scheduler_name)));
        }
        section.read_flag("gang", profile.gang);
        profile.topology = profile.gang;  // Groups are ignored, unless their levels are asked for (Z34).
        section.read_flag("topology", profile.topology);
        section.read_flag("nominate", profile.nominate);
        std::string protect = "promised";
        section.read_word("protect", {"promised", "holds", "none"}, protect);
        if (protect != "promised")
            profile.protect = protect == "none" ? Protect::none : Protect::holds;
        read_preempt(section, profile);
        section.read_flag("conditions", profile.conditions);
        std::string scores;
        section.read_word("scores", {"none", "pack"}, scores);
        profile.scores = scores == "pack" ? Scores::pack : Scores::none;
        out.profiles.push_back(std::move(profile));
    }
}

}  // namespace echelon::config
