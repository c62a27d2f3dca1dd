#include "server/extender/name_list.hpp"

namespace echelon::server {

namespace {

constexpr std::size_t short_piece = 128;  // Bytes. Longer ones are copied faster by a call.

// The names between two omitted ones, without the commas around them. A name begins and ends with a quote.
std::string_view trimmed(std::string_view piece) {
    while (!piece.empty() && piece.front() != '"')
        piece.remove_prefix(1);
    while (!piece.empty() && piece.back() != '"')
        piece.remove_suffix(1);
    return piece;
}

}  // namespace

// Adjacent names are copied at once.
void put_without(TextWriter& to, std::string_view names_json, const std::vector<std::string_view>& names) {
    to.put('[');
    bool is_first = true;
    const auto keep = [&](std::string_view piece) {
        piece = trimmed(piece);
        if (piece.empty())
            return;
        if (!is_first)
            to.put(',');
        is_first = false;
        if (piece.size() <= short_piece) {
            to.put_padded(piece);
        } else {
            to.put(piece);
        }
    };
    const char* at = names_json.data();
    for (const auto name : names) {
        const char* const quote = name.data() - 1;
        keep({at, static_cast<std::size_t>(quote - at)});
        at = name.data() + name.size() + 1;
    }
    keep({at, static_cast<std::size_t>(names_json.data() + names_json.size() - at)});
    to.put(']');
}

}  // namespace echelon::server
