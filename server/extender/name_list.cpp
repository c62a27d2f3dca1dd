#include "server/extender/name_list.hpp"

namespace echelon::server {

namespace {

// What is between two names that are left out: the names without the commas around them.
std::string_view trimmed(std::string_view piece) {
    constexpr std::string_view around = "[], \t\r\n";
    const auto first = piece.find_first_not_of(around);
    if (first == std::string_view::npos)
        return {};
    return piece.substr(first, piece.find_last_not_of(around) + 1 - first);
}

}  // namespace

// A name begins and ends with a quote, so that nothing of it is trimmed.
std::string without(std::string_view names_json, const std::vector<std::string_view>& names) {
    std::string kept = "[";
    kept.reserve(names_json.size());
    const auto keep = [&kept](std::string_view piece) {
        piece = trimmed(piece);
        if (!piece.empty() && kept.size() > 1)
            kept += ',';
        kept += piece;
    };
    const char* at = names_json.data();
    for (const auto name : names) {
        const char* const quote = name.data() - 1;
        keep({at, static_cast<std::size_t>(quote - at)});
        at = name.data() + name.size() + 1;
    }
    keep({at, static_cast<std::size_t>(names_json.data() + names_json.size() - at)});
    return kept + ']';
}

}  // namespace echelon::server
