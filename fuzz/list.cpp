#include "fuzz/stream.hpp"
#include "fuzz/targets.hpp"
#include "kube/json/splitter.hpp"

#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace echelon::fuzz {
namespace {

using nlohmann::json;

struct Page {
    std::vector<std::string> items;
    std::vector<std::pair<std::string, std::string>> members;
    bool is_object = true;
    bool is_complete = false;

    bool operator==(const Page&) const = default;
};

Page page_of(std::string_view bytes, std::size_t piece) {
    Page page;
    kube::ListSplitter splitter(
        [&page](std::string_view item) { page.items.emplace_back(item); },
        [&page](std::string_view key, std::string_view member) { page.members.emplace_back(key, member); },
        [](std::string_view) {});
    cut(bytes, piece, [&](std::string_view data) { return page.is_object = splitter.feed(data); });
    page.is_complete = splitter.complete();
    return page;
}

// Compares the page with a parser of whole texts. Leaves out escaped and repeated keys, which no server writes.
std::string disagreement(std::string_view bytes, const Page& page) {
    if (bytes.contains('\\'))
        return {};
    const auto whole = kube::parse_object(bytes);
    if (!whole)
        return {};
    if (!page.is_complete)
        return "a whole object isn't complete";
    const auto items = whole->find("items");
    if (items == whole->end() || !items->is_array() || page.members.size() + 1 != whole->size())
        return {};
    if (items->size() != page.items.size())
        return fmt::format("{} items became {}", items->size(), page.items.size());
    for (std::size_t at = 0; at < page.items.size(); ++at) {
        if (json::parse(page.items[at], nullptr, false) != (*items)[at])
            return fmt::format("item {} became another one", at);
    }
    return {};
}

}  // namespace

// The first byte selects the kind, the second the size of the chunks.
std::string list(std::string_view bytes) {
    if (bytes.size() < 2)
        return {};
    const auto kind = static_cast<unsigned char>(bytes[0]);
    const auto piece = std::size_t{static_cast<unsigned char>(bytes[1])} + 1;
    bytes.remove_prefix(2);
    const Page page = page_of(bytes, bytes.size());
    if (page != page_of(bytes, piece))
        return "the pieces depend on how the stream was cut";
    if (auto found = disagreement(bytes, page); !found.empty())
        return found;

    Stream stream(kind);
    auto& state = stream.state();
    state.list_began(Stream::now());
    for (const std::string& item : page.items)
        state.list_item(item);
    for (const auto& [key, member] : page.members)
        state.list_member(key, member);
    state.list_ended({.ending = kube::HttpAnswer::Ending::complete, .status = 200}, page.is_complete, Stream::now());
    static_cast<void>(state.next(Stream::now()));
    stream.list_nothing();  // Perhaps the last page of the same list.
    stream.list_nothing();
    return stream.remains();
}

}  // namespace echelon::fuzz
