#include "model/topology/row_move.hpp"

#include <cstdint>

namespace echelon::model {

namespace {

template <typename Row>
void move_in(Row& row, const RowMove& move) {
    const auto at = row.begin() + move.id;
    if (move.comes()) {
        row.insert(at, typename Row::value_type{});
    } else {
        row.erase(at);
    }
}

}  // namespace

void apply(const RowMove& move, Snapshot& snapshot) {
    move_in(snapshot.node_names, move);
    if (move.comes())
        snapshot.node_names[move.id] = move.name;
    move_in(snapshot.usable, move);
    for (auto& row : snapshot.eligible)
        move_in(row, move);
    for (auto* rows : {&snapshot.room, &snapshot.capacity}) {
        for (auto& row : *rows)
            move_in(row, move);
    }
}

void follow(const RowMove& move, std::vector<NodeId>& numbers) {
    const auto by = move.comes() ? std::uint32_t{1} : static_cast<std::uint32_t>(-1);
    for (auto& number : numbers)
        number += number >= move.id && number != nowhere ? by : 0U;
}

}  // namespace echelon::model
