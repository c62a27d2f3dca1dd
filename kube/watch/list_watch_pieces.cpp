// What one item of a list or one line of a watch says. What can't be read costs its own object alone (BD7): it stays as
// it was, is counted and named, and reading goes on behind it.

#include "kube/json/quoted_text.hpp"
#include "kube/json/splitter.hpp"
#include "kube/watch/list_watch_state.hpp"
#include "kube/watch/remains.hpp"

#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace echelon::kube {

using nlohmann::json;

namespace {

// "" unless it is a text. Requires: an object.
std::string_view text_in(const Value& object, std::string_view key) {
    const Value found = object.find(key);
    return found.is_text() ? found.text() : std::string_view();
}

}  // namespace

void ListWatchState::list_item(std::string_view item) {
    const base::Result<Value> parsed = parser_.parse(item);
    if (!parsed) {
        list_item_unreadable(item, parsed.error().sentence);
    } else if (!inventory_.seen(*parsed)) {
        list_item_unreadable(item, "has no name or no uid");
    }
}

// Whatever can be learned of its name: the object is there, and stays as it was.
void ListWatchState::list_item_unreadable(std::string_view front, std::string_view fault) {
    const Remains object = remains_of_object(front);
    if (!object.is_named())
        ++nameless_;
    cannot_read(object, fmt::format("an item of the list {}", fault));
}

void ListWatchState::cannot_read(const Remains& object, const std::string& fault) {
    if (!object.is_named()) {
        ++figures_.unreadable;
        unreadable_(json(), fault);
    } else if (inventory_.stays(object)) {
        ++figures_.unreadable;
        unreadable_(inventory_.outline_of(object), fault);
    }
}

void ListWatchState::list_item_too_long(std::string_view front) {
    list_item_unreadable(front, fmt::format("is longer than {} bytes", longest_piece));
}

bool ListWatchState::watch_line(std::string_view line, Instant now) {
    const base::Result<Value> event = parser_.parse(line);
    if (!event)
        return watch_line_unreadable(line, event.error().sentence, now);
    const Value object = event->find("object");
    if (!object.is_object())
        return watch_line_unreadable(line, "has no object", now);
    const std::string_view type = text_in(*event, "type");
    if (type == "ERROR") {
        watch_was_settled_ = true;
        error_event(object.tree(), now);
        return false;
    }
    take_event(type, object);
    const Value metadata = object.find("metadata");
    if (const auto version = metadata.is_object() ? text_in(metadata, "resourceVersion") : ""; !version.empty())
        version_ = version;
    watch_had_event_ = true;
    watch_failures_ = 0;
    figures_.last_event = now;
    return true;
}

void ListWatchState::take_event(std::string_view type, const Value& object) {
    bool has_name = true;
    if (type == "ADDED") {
        ++figures_.added;
        has_name = inventory_.seen(object);
    } else if (type == "MODIFIED") {
        ++figures_.modified;
        has_name = inventory_.seen(object);
    } else if (type == "DELETED") {
        ++figures_.deleted;
        has_name = inventory_.gone(object);
    } else if (type == "BOOKMARK") {
        ++figures_.bookmarks;
    } else {
        cannot_read({}, fmt::format("an event of the watch has the unknown type {}", shown(type)));
    }
    if (!has_name)
        cannot_read({}, "an event's object has no name or no uid");
}

bool ListWatchState::watch_line_too_long(std::string_view front, Instant now) {
    return watch_line_unreadable(front, fmt::format("is longer than {} bytes", longest_piece), now);
}

// The watch goes on behind it, and is taken up behind it if its version can be read.
bool ListWatchState::watch_line_unreadable(std::string_view front, std::string_view fault, Instant now) {
    const Remains object = remains_of_event(front);
    if (object.type == "ERROR") {
        watch_was_settled_ = true;
        ++figures_.restarts_error;
        watch_failed(fmt::format("the watch of {} was ended by an error that can't be read", name_), now);
        return false;
    }
    if (object.type == "DELETED" && object.is_named()) {
        ++figures_.deleted;
        inventory_.gone(object);
    } else {
        const bool is_about_object = object.type == "ADDED" || object.type == "MODIFIED";
        cannot_read(is_about_object ? object : Remains{}, fmt::format("a line of the watch {}", fault));
    }
    if (!object.version.empty())
        version_ = object.version;
    return true;
}

}  // namespace echelon::kube
