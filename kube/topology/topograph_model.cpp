// How is the YAML of a Topograph model read? It has switches, and blocks of nodes that are connected to them.

#include "base/ascii.hpp"
#include "kube/json/quoted_text.hpp"
#include "kube/topology/topograph_instances.hpp"
#include "model/topology/cycles.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>

namespace echelon::kube {

namespace {

constexpr Bound names_bound{65'536, "bytes that a list of names may have"};

struct Switch {
    std::string name;
    ReportedAttributes attributes;
    std::vector<std::uint32_t> children;  // Sorted, each once.
    std::vector<std::uint32_t> parents;
    bool is_on_cycle = false;
    // Only for a switch on a cycle or with several parents: the nodes below it.
    std::vector<std::string> names = {};
    std::size_t tier = most_layers;  // The lowest tier at which those nodes reach the switch.
};

ReportedAttributes read_attributes(const Field& of) {
    const Field labels = of.at("labels");
    const Field annotations = of.at("annotations");
    ReportedAttributes attributes{.region = labels.text("topology.kubernetes.io/region"),
                                  .zone = labels.text("topology.kubernetes.io/zone"),
                                  .domain = labels.text("accelerator.topograph.run/domain"),
                                  .sub_domain = labels.text("accelerator.topograph.run/sub-domain")};
    attributes.overlay({.region = {},
                        .zone = {},
                        .domain = annotations.text("accelerator.topology.test/domain"),
                        .sub_domain = annotations.text("accelerator.topology.test/sub-domain")});
    return attributes;
}

std::string lowercase(std::string text) {
    std::ranges::transform(text, text.begin(), base::to_lower);
    return text;
}

class ModelReader {
public:
    explicit ModelReader(const Field& document) : document_(document) {}

    ReportedInstances run() {
        read_switches();
        connect();
        for (const Field& block : document_.at("blocks").items(node_bound(document_.limits()))) {
            if (document_.fault().found())
                break;
            read_block(block);
        }
        report_switch_flaws();
        out_.drop_duplicates("blocks");
        return std::move(out_);
    }

private:
    std::uint32_t number_of(std::string_view name) {
        const auto [known, is_new] = numbers_.try_emplace(std::string(name), switches_.size());
        if (is_new)
            switches_.emplace_back().name = name;
        return known->second;
    }

    void read_switches() {
        const Field all = document_.at("switches");
        if (!all.exists())
            return;
        for (const auto& [name, entry] : all.members(node_bound(all.limits()))) {
            const std::uint32_t number = number_of(name);
            if (!entry.exists())
                continue;  // A switch without fields.
            if (!entry.value().is_object()) {
                add_flaw(fmt::format("{}: must be an object, not {}", entry.path(), shown(entry.value())));
                continue;
            }
            FieldFault own;
            const Field part(entry.value(), own);
            switches_[number].attributes = read_attributes(part);
            std::vector<std::uint32_t> children;
            for (const Field& child : part.at("switches").items(node_bound(document_.limits()))) {
                if (const std::string below = child.text(); !below.empty())
                    children.push_back(number_of(below));
            }
            std::ranges::sort(children);
            const auto doubles = std::ranges::unique(children);
            children.erase(doubles.begin(), doubles.end());
            switches_[number].children = std::move(children);
            if (own.found())
                add_flaw(fmt::format("{}.{}", entry.path(), own.sentence()));
        }
    }

    void connect() {
        const model::Cycles::Children children = [this](std::uint32_t number) -> const std::vector<std::uint32_t>& {
            return switches_[number].children;
        };
        const model::Cycles cycles(switches_.size(), children);
        for (std::uint32_t number = 0; number < switches_.size(); ++number) {
            switches_[number].is_on_cycle = cycles.holds(number);
            for (const std::uint32_t child : switches_[number].children) {
                if (!switches_[number].is_on_cycle)
                    switches_[child].parents.push_back(number);
            }
        }
    }

    void read_block(const Field& entry) {
        if (!entry.value().is_object())
            return add_flaw(fmt::format("{}: must be an object, not {}", entry.path(), shown(entry.value())));
        FieldFault own;
        const Field block(entry.value(), own);
        std::vector<std::string> hosts;
        for (const Field& node : block.at("nodes").items(node_bound(document_.limits()))) {
            const std::string text = node.text(names_bound);
            if (own.found())
                break;
            const Bound bound = node_bound(document_.limits());
            const std::size_t taken = node_count_ + hosts.size();
            const std::size_t all = taken + count_names(text);
            if (std::cmp_greater(all, bound.most)) {
                document_.fault().note_excess(fmt::format("{}.{}", entry.path(), node.path()),
                                              beyond(static_cast<std::int64_t>(all), bound));
                return;
            }
            const std::string problem = expand_names(text, static_cast<std::size_t>(bound.most) - taken, hosts);
            if (!problem.empty())
                node.wrong(problem);
        }
        if (hosts.empty() && !own.found())
            own.note_missing("nodes");
        node_count_ += hosts.size();
        ReportedInstance instance;
        const std::string name = block.text("switch");
        const ReportedAttributes attributes = read_attributes(block);
        const auto known = numbers_.find(name);
        if (known != numbers_.end())
            climb(known->second, hosts, instance);
        instance.attributes.overlay(attributes);
        if (own.found())
            add_flaw(fmt::format("{}.{}", entry.path(), own.sentence()), hosts);
        if (!name.empty() && known == numbers_.end()) {
            add_flaw(fmt::format("{}.switch {} isn't a switch", entry.path(), shown(name)), hosts);
            out_.flaws.back().lacks_accelerators = false;
        }
        for (std::string& host : hosts) {
            instance.names = names_of(std::move(host));
            out_.instances.push_back(instance);
        }
    }

    // Walks up from a switch to the widest one, or to a switch with a flaw. The instance inherits labels on the way.
    void climb(std::uint32_t number, const std::vector<std::string>& hosts, ReportedInstance& instance) {
        std::vector<std::uint32_t> path;
        while (path.size() < most_layers) {
            Switch& here = switches_[number];
            const bool ends = here.is_on_cycle || here.parents.size() > 1;
            if (!here.is_on_cycle)
                path.push_back(number);
            if (ends) {
                here.tier = std::min(here.tier, path.size());
                for (const std::string& host : hosts)
                    std::ranges::move(names_of(host), std::back_inserter(here.names));
            }
            if (ends || here.parents.empty())
                break;
            number = here.parents.front();
        }
        for (const std::uint32_t each : path)
            instance.layers.push_back(switches_[each].name);
        for (auto each = path.rbegin(); each != path.rend(); ++each)
            instance.attributes.overlay(switches_[*each].attributes);
    }

    // The node name in Kubernetes (lower case), and the instance ID.
    static std::vector<std::string> names_of(std::string host) {
        std::string instance = "i-" + host;
        return {lowercase(std::move(host)), std::move(instance)};
    }

    void report_switch_flaws() {
        for (const Switch& each : switches_) {
            if (!each.is_on_cycle && each.parents.size() < 2)
                continue;
            std::string what = "it is below itself";
            if (!each.is_on_cycle) {
                what = fmt::format("it is below {} and {}, so it is below neither",
                                   shown(switches_[each.parents[0]].name), shown(switches_[each.parents[1]].name));
            }
            ReportedFault& flaw = out_.flaws.emplace_back();
            flaw.sentence = fmt::format("switches[{}]: {}", shown(each.name), what);
            flaw.names = each.names;
            flaw.first_tier = each.tier;
            flaw.last_tier = each.tier + height_above(each) - 1;
            flaw.lacks_accelerators = false;
        }
    }

    // The number of tiers above the switch, including itself if it is on a cycle.
    std::size_t height_above(const Switch& of) const {
        std::set<std::uint32_t> here(of.parents.begin(), of.parents.end());
        std::size_t height = of.is_on_cycle ? 1 : 0;
        for (; !here.empty() && height < most_layers; ++height) {
            std::set<std::uint32_t> above;
            for (const std::uint32_t each : here)
                above.insert(switches_[each].parents.begin(), switches_[each].parents.end());
            here = std::move(above);
        }
        return std::max<std::size_t>(height, 1);
    }

    void add_flaw(std::string sentence, const std::vector<std::string>& hosts = {}) {
        ReportedFault& flaw = out_.flaws.emplace_back();
        flaw.sentence = std::move(sentence);
        for (const std::string& host : hosts)
            std::ranges::move(names_of(host), std::back_inserter(flaw.names));
    }

    const Field& document_;
    std::map<std::string, std::uint32_t, std::less<>> numbers_;
    std::vector<Switch> switches_;
    std::size_t node_count_ = 0;
    ReportedInstances out_;
};

}  // namespace

ReportedInstances read_model(const Field& document) {
    return ModelReader(document).run();
}

}  // namespace echelon::kube
