#include "kube/protobuf/stream_splitter.hpp"

#include "unit-tests/kube/protobuf/protobuf_bytes.hpp"

#include <algorithm>
#include <vector>

#include <doctest/doctest.h>
#include <rapidcheck.h>

namespace echelon::kube {
namespace {

using Texts = std::vector<std::string>;

// Feeds pieces of a size; false: it was refused.
template <class Splitter>
bool feed(Splitter& splitter, std::string_view bytes, std::size_t size) {
    for (; !bytes.empty(); bytes.remove_prefix(std::min(size, bytes.size()))) {
        if (!splitter.feed(bytes.substr(0, size)))
            return false;
    }
    return true;
}

struct Frames {
    Texts whole;
    std::vector<std::size_t> fronts;
    FrameSplitter splitter{[this](std::string_view frame) {
                               whole.emplace_back(frame);
                               return frame != "last";
                           },
                           [this](std::string_view front) {
                               fronts.push_back(front.size());
                               return true;
                           }};
};

TEST_CASE("frames are the same however the stream is cut, and empty ones are left out") {
    const std::string stream = framed("one") + framed("") + framed(std::string(300, 'x')) + framed("three");
    for (std::size_t size = 1; size <= stream.size(); ++size) {
        CAPTURE(size);
        Frames frames;
        CHECK(feed(frames.splitter, stream, size));
        CHECK(frames.whole == Texts{"one", std::string(300, 'x'), "three"});
        CHECK_FALSE(frames.splitter.is_inside_frame());
    }
}

TEST_CASE("a stream that ends anywhere inside a frame is known to") {
    const std::string stream = framed("one");
    for (std::size_t size = 1; size < stream.size(); ++size) {
        Frames frames;
        CHECK(frames.splitter.feed(stream.substr(0, size)));
        CHECK(frames.splitter.is_inside_frame());
        CHECK(frames.whole.empty());
    }
}

TEST_CASE("nothing is taken behind a frame with which the taker has enough") {
    Frames frames;
    CHECK_FALSE(frames.splitter.feed(framed("last") + framed("more")));
    CHECK(frames.whole == Texts{"last"});
}

TEST_CASE("a frame that is too long is cut to its front, and the next frames are read") {
    const std::string stream = framed(std::string(longest_piece + 5, 'x')) + framed("next");
    for (const std::size_t size : {std::size_t{60'000}, stream.size()}) {
        Frames frames;
        CHECK(feed(frames.splitter, stream, size));
        CHECK(frames.fronts == std::vector<std::size_t>{longest_piece});
        CHECK(frames.whole == Texts{"next"});
    }
}

TEST_CASE("a length beyond all frames ends the stream at once") {
    Frames frames;
    CHECK_FALSE(frames.splitter.feed("\xff\xff\xff\xff"));
}

struct Page {
    Texts items;
    Texts metadata;
    std::vector<std::size_t> fronts;
    bool fits = true;
    bool complete = false;

    bool operator==(const Page&) const = default;
};

Page page_of(std::string_view bytes, std::size_t size) {
    Page page;
    ListMessageSplitter splitter([&page](std::string_view item) { page.items.emplace_back(item); },
                                 [&page](std::string_view metadata) { page.metadata.emplace_back(metadata); },
                                 [&page](std::string_view front) { page.fronts.push_back(front.size()); });
    page.fits = feed(splitter, bytes, size);
    page.complete = splitter.complete();
    return page;
}

std::string list(std::string_view message) {
    return envelope("v1", "PodList", message);
}

TEST_CASE("a list is cut into metadata and items, however it arrives") {
    const std::string bytes = list(field(1, field(2, "9")) + field(2, "a") + number_field(3, 5) + field(2, "") +
                                   field(7, "new") + std::string("\x49") + std::string(8, 'x') + std::string("\x4d") +
                                   std::string(4, 'x') + field(2, std::string(300, 'b')));
    for (std::size_t size = 1; size <= bytes.size(); ++size) {
        CAPTURE(size);
        const Page page = page_of(bytes, size);
        CHECK(page.items == Texts{"a", "", std::string(300, 'b')});
        CHECK(page.metadata == Texts{field(2, "9")});
        CHECK(page.complete);
    }
    CHECK(page_of(list(""), 1).complete);
}

TEST_CASE("a list that ends anywhere before its end isn't complete") {
    const std::string bytes = list(field(1, field(2, "9")) + field(2, "a") + field(2, "b"));
    const std::size_t envelope_end = bytes.size() - 4;  // Two empty fields follow the list's message.
    for (std::size_t size = 0; size < envelope_end; ++size) {
        CAPTURE(size);
        const Page page = page_of(std::string_view(bytes).substr(0, size), 7);
        CHECK(page.fits);
        CHECK_FALSE(page.complete);
    }
}

TEST_CASE("bytes that are no list, or whose lengths don't fit, are refused") {
    const std::string kinds = field(1, "kinds");
    for (const std::string& bytes :
         {std::string("{\"items\":[]}"), std::string("k8sx"), std::string(protobuf_magic) + "\x0b",
          std::string(protobuf_magic) + std::string(11, '\x80'),
          std::string(protobuf_magic) + kinds + varint(2U << 3U | 2U) + varint(3) + field(2, "longer than three"),
          std::string(protobuf_magic) + kinds + varint(2U << 3U | 2U) + varint(1) + field(2, "x"), list("\x0b"),
          list(field(2, "a")) + field(2, field(2, "once more"))}) {
        CAPTURE(bytes);
        CHECK_FALSE(page_of(bytes, 3).complete);
        CHECK_FALSE(page_of(bytes, bytes.size()).fits);
    }
}

TEST_CASE("an item that is too long is reported by its front, and the next items are read") {
    const std::string bytes = list(field(2, "a") + field(2, std::string(longest_piece + 5, 'x')) + field(2, "b") +
                                   field(1, std::string(longest_piece + 5, 'y')) + field(2, "c"));
    for (const std::size_t size : {std::size_t{60'000}, bytes.size()}) {
        const Page page = page_of(bytes, size);
        CHECK(page.items == Texts{"a", "b", "c"});
        CHECK(page.fronts == std::vector<std::size_t>{longest_piece});
        CHECK(page.metadata.empty());
        CHECK(page.complete);
    }
}

TEST_CASE("any bytes are cut into the same pieces, however they arrive") {
    CHECK(rc::check([] {
        auto bytes = *rc::gen::container<std::string>(rc::gen::arbitrary<char>());
        const auto size = *rc::gen::inRange<std::size_t>(1, 9);
        if (*rc::gen::arbitrary<bool>())
            bytes = list(bytes);
        const Page at_once = page_of(bytes, bytes.size());
        RC_ASSERT(at_once == page_of(bytes, size));
    }));
}

}  // namespace
}  // namespace echelon::kube
