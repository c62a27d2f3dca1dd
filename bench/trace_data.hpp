#pragma once

// How do public traces become clusters and jobs of `echelon simulate`? For measurements of placement.
//
// Reads files of a folder outside of the repository.

#include "model/cluster/cluster.hpp"
#include "simulate/csv.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace echelon::bench {

// Rows by column name.
class Rows {
public:
    explicit Rows(const std::string& file);

    [[nodiscard]] bool is_there() const { return is_there_; }
    [[nodiscard]] std::size_t size() const { return rows_.size(); }
    // Empty: there is no such column.
    [[nodiscard]] std::string at(std::size_t row, const std::string& column) const;
    [[nodiscard]] std::int64_t number(std::size_t row, const std::string& column) const;

private:
    bool is_there_ = false;
    std::map<std::string, std::size_t> columns_;
    std::vector<std::vector<std::string>> rows_;
};

// A cluster of GPU nodes, and pods of no gang that come one after another and never end.
class Openb {
public:
    // `whole_only`: pods that ask for whole GPUs alone.
    Openb(const std::string& folder, const std::string& pods_file, bool whole_only);

    [[nodiscard]] bool is_there() const { return nodes_.is_there() && pods_.is_there(); }
    [[nodiscard]] model::Cluster cluster() const;
    // Repeats the pods, in an order drawn by the seed, until they request 130 % of the GPUs.
    [[nodiscard]] std::string trace(std::uint64_t seed) const;

private:
    [[nodiscard]] std::string row_of(std::size_t pod) const;

    Rows nodes_;
    Rows pods_;
    std::vector<std::size_t> used_;  // Rows of `pods_`.
};

// Jobs of whole hosts in racks and planes.
class Philly {
public:
    explicit Philly(const std::string& folder);

    [[nodiscard]] bool is_there() const { return hosts_.is_there() && jobs_.is_there(); }
    [[nodiscard]] model::Cluster cluster() const;
    // The jobs in the order of the trace, with intervals that give this load. Other seeds begin elsewhere in the trace.
    // With `declares_ends` each job says exactly when it ends.
    [[nodiscard]] std::string trace(std::uint64_t seed, double load, bool asks_for_levels, bool declares_ends) const;

private:
    Rows hosts_;
    Rows jobs_;
};

}  // namespace echelon::bench
