#include "bench/trace_data.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <random>
#include <utility>

#include <fmt/format.h>

namespace echelon::bench {

namespace {

constexpr double asked_share = 1.3;  // Of all GPUs.
constexpr std::int64_t most_hosts = 64;
constexpr std::int64_t largest_in_rack = 8;

std::string text_of(const std::string& file) {
    std::ifstream stream(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

// The same on every machine, unlike the distributions of the standard library.
double uniform(std::mt19937_64& random) {
    return (static_cast<double>(random() >> 11U) + 0.5) / 9007199254740992.0;
}

void shuffle(std::vector<std::size_t>& rows, std::mt19937_64& random) {
    for (std::size_t i = rows.size(); i > 1; --i)
        std::swap(rows[i - 1], rows[random() % i]);
}

// Seconds of "2017-10-09 07:01:55" since a fixed day.
double seconds_of(const std::string& timestamp) {
    int year = 0;
    unsigned month = 0;
    unsigned day = 0;
    int hours = 0;
    int minutes = 0;
    int seconds = 0;
    if (std::sscanf(timestamp.c_str(), "%d-%u-%u %d:%d:%d", &year, &month, &day, &hours, &minutes, &seconds) != 6)
        return 0;
    const auto date = std::chrono::year(year) / std::chrono::month(month) / std::chrono::day(day);
    const auto days = std::chrono::sys_days(date).time_since_epoch().count();
    return static_cast<double>(days) * 86'400 + hours * 3600 + minutes * 60 + seconds;
}

model::Cluster empty_cluster() {
    model::Profiles profiles;
    profiles["default-scheduler"] = {};
    return model::Cluster(std::move(profiles));
}

model::Node node_named(std::string name) {
    model::Node node;
    node.name = node.uid = std::move(name);
    node.labels["kubernetes.io/hostname"] = node.name;
    return node;
}

}  // namespace

Rows::Rows(const std::string& file) {
    const auto text = text_of(file);
    simulate::CsvReader reader(text);
    if (!reader.next())
        return;
    is_there_ = true;
    for (std::size_t i = 0; i < reader.fields().size(); ++i)
        columns_.emplace(reader.fields()[i], i);
    while (reader.next()) {
        if (reader.fields().size() == columns_.size())
            rows_.push_back(reader.fields());
    }
}

std::string Rows::at(std::size_t row, const std::string& column) const {
    const auto found = columns_.find(column);
    return found == columns_.end() ? std::string() : rows_[row][found->second];
}

std::int64_t Rows::number(std::size_t row, const std::string& column) const {
    return std::strtoll(at(row, column).c_str(), nullptr, 10);
}

Openb::Openb(const std::string& folder, const std::string& pods_file, bool whole_only)
    : nodes_(folder + "/openb-nodes.csv"), pods_(folder + "/" + pods_file) {
    for (std::size_t pod = 0; pod < pods_.size(); ++pod) {
        const bool is_whole = pods_.number(pod, "num_gpu") > 0 && pods_.number(pod, "gpu_milli") == 1000;
        if (is_whole || !whole_only)
            used_.push_back(pod);
    }
}

model::Cluster Openb::cluster() const {
    auto cluster = empty_cluster();
    for (std::size_t row = 0; row < nodes_.size(); ++row) {
        auto node = node_named(nodes_.at(row, "sn"));
        const auto gpus = nodes_.number(row, "gpu");
        node.labels["nvidia.com/gpu.product"] = nodes_.at(row, "model");
        node.allocatable = {{"cpu", nodes_.number(row, "cpu_milli")},
                            {"memory", nodes_.number(row, "memory_mib") * 1024 * 1024},
                            {"pods", 1000},
                            {"nvidia.com/gpu", gpus},
                            {"nvidia.com/gpu.shared", 1000 * gpus}};
        static_cast<void>(cluster.apply(model::NodeSeen{node}));
    }
    return cluster;
}

std::string Openb::row_of(std::size_t pod) const {
    const auto gpus = pods_.number(pod, "num_gpu");
    const auto milli = pods_.number(pod, "gpu_milli");
    const bool is_share = gpus == 1 && milli < 1000;
    return fmt::format("{},{},{},{},{}", pods_.at(pod, "cpu_milli"), pods_.at(pod, "memory_mib"), gpus,
                       is_share ? std::to_string(milli) : "", pods_.at(pod, "gpu_spec"));
}

std::string Openb::trace(std::uint64_t seed) const {
    double gpus = 0;
    for (std::size_t row = 0; row < nodes_.size(); ++row)
        gpus += static_cast<double>(nodes_.number(row, "gpu"));
    std::string csv = "submit,gang,cpu,memory,gpu,gpu-share,gpu-model\n";
    std::mt19937_64 random(seed);
    double asked = 0;
    for (std::size_t time = 0; asked < asked_share * gpus;) {
        auto order = used_;
        shuffle(order, random);
        for (const auto pod : order) {
            if (asked >= asked_share * gpus)
                break;
            csv += fmt::format("{},false,{}\n", time++, row_of(pod));
            const auto milli = pods_.number(pod, "gpu_milli");
            const auto count = pods_.number(pod, "num_gpu");
            asked += static_cast<double>(count) * (count == 1 ? static_cast<double>(milli) / 1000 : 1);
        }
    }
    return csv;
}

Philly::Philly(const std::string& folder) : hosts_(folder + "/lingjun-hosts.csv"), jobs_(folder + "/philly.csv") {}

model::Cluster Philly::cluster() const {
    auto cluster = empty_cluster();
    model::Topology topology;
    topology.name = "fabric";
    topology.source = model::TopologySource::configuration;
    topology.levels = {"psw", "asw", "kubernetes.io/hostname"};
    static_cast<void>(cluster.apply(model::TopologySeen{topology}));
    for (std::size_t row = 0; row < hosts_.size(); ++row) {
        auto node = node_named(fmt::format("host-{:04}", row));
        node.labels["psw"] = hosts_.at(row, "PSW");
        node.labels["asw"] = hosts_.at(row, "ASW");
        node.allocatable = {{"pods", 110}, {"nvidia.com/gpu", 8}};
        static_cast<void>(cluster.apply(model::NodeSeen{node}));
    }
    return cluster;
}

std::string Philly::trace(std::uint64_t seed, double load, bool asks_for_levels, bool declares_ends) const {
    struct Arrival {
        double time = 0;
        std::size_t job = 0;
    };
    const auto hosts_for = [&](std::size_t job) { return std::min(jobs_.number(job, "num_gpus"), most_hosts); };
    const auto length_of = [&](std::size_t job) { return std::strtod(jobs_.at(job, "duration").c_str(), nullptr); };
    std::vector<Arrival> arrivals;
    double work = 0;
    for (std::size_t job = 0; job < jobs_.size(); ++job) {
        work += length_of(job) * static_cast<double>(hosts_for(job));
        arrivals.push_back({seconds_of(jobs_.at(job, "timestamp")), job});
    }
    std::ranges::stable_sort(arrivals, {}, &Arrival::time);
    const auto first = arrivals.front().time;
    const auto span = arrivals.back().time - first;
    // The first seed keeps the order of the trace. Other seeds begin within it, and continue with its first part.
    std::mt19937_64 random(seed);
    const auto shift = seed == 1 ? 0 : uniform(random);
    const auto length = work / (static_cast<double>(hosts_.size()) * load);
    for (auto& arrival : arrivals) {
        const auto place = (arrival.time - first) / span + shift;
        arrival.time = length * (place - (place > 1 ? 1 : 0));
    }
    std::string csv = "submit,duration,limit,pods,gpu,required\n";
    for (const auto& [time, job] : arrivals) {
        const auto hosts = hosts_for(job);
        const std::string level = hosts > largest_in_rack ? "psw" : "asw";
        const auto limit = declares_ends ? fmt::format("{}", length_of(job)) : "";
        csv += fmt::format("{},{},{},{},8,{}\n", time, length_of(job), limit, hosts, asks_for_levels ? level : "");
    }
    return csv;
}

}  // namespace echelon::bench
