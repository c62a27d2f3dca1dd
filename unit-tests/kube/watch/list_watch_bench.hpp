#pragma once

// How do tests feed a ListWatchState with answers of an API server, and see what it asks for and delivers? No threads,
// no connection; the clock is the test's.

#include "kube/watch/list_watch_state.hpp"

#include <chrono>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

namespace echelon::kube::bench {

using nlohmann::json;
using std::chrono::seconds;
using Ending = HttpAnswer::Ending;
using Lines = std::vector<std::string>;

inline constexpr WatchedKind things{.resource = "things", .group = "example.org", .versions = {"v1"}, .kind = "Thing"};

inline HttpAnswer ok() {
    return {.ending = Ending::complete, .status = 200};
}
inline HttpAnswer refused(int status, const std::string& body = "{}") {
    return {.ending = Ending::complete, .status = status, .body = body};
}
inline HttpAnswer cut(Ending ending) {
    return {.ending = ending, .sentence = "the connection ended"};
}

inline std::string thing(const std::string& name, const std::string& uid, const std::string& version) {
    return json{{"metadata", {{"name", name}, {"uid", uid}, {"resourceVersion", version}}}}.dump();
}
inline std::string event(const std::string& type, const std::string& object) {
    return R"({"type":")" + type + R"(","object":)" + object + "}";
}

// A ListWatchState with a clock and a random number that the test sets.
struct Bench {
    ListWatchState::Instant now{std::chrono::hours(10)};
    Lines delivered = {};
    Lines logged = {};
    Lines unreadable = {};  // "NAME: FAULT"; nameless ones: "?: FAULT".
    ListWatchState state{
        things,
        "v1",
        WatchPace{},
        [] { return 0.5; },
        [this](const Value& object, Change change) {
            delivered.push_back((change == Change::seen ? "seen " : "gone ") +
                                std::string(object.find("metadata").find("name").text()));
        },
        [this](const json& outline, const std::string& fault) {
            const bool is_named = outline.is_object();
            unreadable.push_back((is_named ? outline["metadata"]["name"].get<std::string>() : std::string("?")) + ": " +
                                 fault);
        },
        [this](const std::string& sentence) { logged.push_back(sentence); }};

    // Waits as long as the state asks for, and returns the step after that.
    ListWatchState::Step step() {
        ListWatchState::Step next = state.next(now);
        if (next.kind == ListWatchState::Step::Kind::wait) {
            now += next.wait;
            next = state.next(now);
        }
        return next;
    }
    void list(const Lines& items, const std::string& version, const std::string& more = "") {
        state.list_began(now);
        for (const std::string& item : items)
            state.list_item(item);
        state.list_member("metadata", json{{"resourceVersion", version}, {"continue", more}}.dump());
        state.list_ended(ok(), true, now);
    }
    void list_fails(const HttpAnswer& answer) {
        state.list_began(now);
        state.list_ended(answer, false, now);
    }
    // A watch of a minute; true if the state took all lines.
    bool watch(const Lines& lines, const HttpAnswer& end, seconds length = seconds(60)) {
        state.watch_began(now);
        if (end.status == 200 || end.status == 0)
            state.watch_opened(now);
        bool wanted = true;
        for (const std::string& line : lines)
            wanted = wanted && state.watch_line(line, now);
        now += length;
        state.watch_ended(wanted ? end : cut(Ending::declined), false, now);
        return wanted;
    }
    // A watch that ends inside a line.
    void watch_is_cut(const Lines& lines, seconds length = seconds(60)) {
        state.watch_began(now);
        state.watch_opened(now);
        for (const std::string& line : lines)
            CHECK(state.watch_line(line, now));
        now += length;
        state.watch_ended(cut(Ending::broken), true, now);
    }
    bool is_waiting() const {
        return const_cast<ListWatchState&>(state).next(now).kind == ListWatchState::Step::Kind::wait;
    }
};

inline void check_list(Bench& bench, const std::string& query) {
    const ListWatchState::Step step = bench.step();
    CHECK(step.kind == ListWatchState::Step::Kind::list);
    CHECK(step.query == query);
}
inline void check_watch(Bench& bench, const std::string& version) {
    const ListWatchState::Step step = bench.step();
    CHECK(step.kind == ListWatchState::Step::Kind::watch);
    CHECK(step.query == "?watch=true&allowWatchBookmarks=true&timeoutSeconds=450&resourceVersion=" + version);
}

}  // namespace echelon::kube::bench
