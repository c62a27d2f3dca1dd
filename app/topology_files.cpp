#include "app/topology_files.hpp"

#include "app/log.hpp"
#include "kube/json/input_text.hpp"
#include "kube/topology/topograph.hpp"

#include <algorithm>
#include <functional>
#include <iterator>
#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace echelon::app {

namespace {

constexpr std::size_t largest_file = 32UL << 20U;

using config::LogLevel;

kube::TopographSource source_of(const config::Topology& topology) {
    return {.name = topology.name, .source = model::TopologySource::configuration, .file = topology.file};
}

base::Result<kube::InputText> read_text(const config::Topology& topology) {
    auto text = kube::InputText::read(topology.file, topology.file);
    if (text && text->text().size() > largest_file)
        return base::failure(fmt::format("{}: is larger than 32 MB", topology.file));
    return text;
}

// What had to be left out of the files.
void log_flaws(const std::vector<model::Event>& events) {
    for (const auto& event : events) {
        const auto* seen = std::get_if<model::TopologySeen>(&event);
        if (seen == nullptr)
            continue;
        for (const auto& flaw : seen->topology.flaws) {
            log_line(LogLevel::warning, {.caller = "topology", .err = flaw.sentence},
                     fmt::format("topology \"{}\": {}", seen->topology.name, flaw.sentence));
        }
    }
}

}  // namespace

base::Result<std::vector<model::Event>> read_topology_file(const config::Topology& topology) {
    const auto text = read_text(topology);
    if (!text)
        return std::unexpected(text.error());
    return kube::read_topograph_text(text->text(), source_of(topology));
}

TopologyFiles::TopologyFiles(const std::vector<config::Topology>& topologies) {
    for (const auto& topology : topologies) {
        if (!topology.file.empty())
            files_.push_back({.topology = topology, .trouble = {}});
    }
}

std::vector<model::Event> TopologyFiles::poll() {
    std::vector<model::Event> events;
    for (auto& file : files_) {
        poll_file(file, events);
    }
    return events;
}

TopologyFigures TopologyFiles::figures() const {
    const std::lock_guard lock(mutex_);
    return figures_;
}

void TopologyFiles::poll_file(File& file, std::vector<model::Event>& events) {
    const auto text = read_text(file.topology);
    if (!text) {
        file.is_read = false;
        return refuse(file, text.error().sentence, events);
    }
    const auto hash = std::hash<std::string_view>()(text->text());
    if (std::exchange(file.is_read, true) && hash == file.seen)
        return;
    file.seen = hash;
    auto parsed = kube::read_topograph_text(text->text(), source_of(file.topology));
    if (!parsed)
        return refuse(file, parsed.error().sentence, events);
    file.trouble.clear();
    file.was_usable = true;
    {
        const std::lock_guard lock(mutex_);
        ++figures_.applied;
    }
    log_line(LogLevel::info, {.caller = "topology"},
             fmt::format("topology \"{}\" was read from {}", file.topology.name, file.topology.file));
    log_flaws(*parsed);
    std::ranges::move(*parsed, std::back_inserter(events));
}

void TopologyFiles::refuse(File& file, std::string trouble, std::vector<model::Event>& events) {
    if (file.trouble == trouble)
        return;
    file.trouble = std::move(trouble);
    {
        const std::lock_guard lock(mutex_);
        ++figures_.refused;
    }
    log_line(LogLevel::error, {.caller = "topology", .err = file.trouble},
             fmt::format("topology \"{}\" {}: {}", file.topology.name,
                         file.was_usable ? "stays as it was" : "can't be used", file.trouble));
    if (!file.was_usable) {
        std::ranges::move(kube::faulty_topograph(source_of(file.topology), base::Error{file.trouble}),
                          std::back_inserter(events));
    }
}

}  // namespace echelon::app
