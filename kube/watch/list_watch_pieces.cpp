// How is one item of a list or one line of a watch read? An object that can't be read keeps its last state, is counted
// and reported, and affects no other object (BD7).

#include "kube/json/quoted_text.hpp"
#include "kube/json/splitter.hpp"
#include "kube/watch/list_watch_state.hpp"
#include "kube/watch/partial_identity.hpp"

#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace echelon::kube {

using nlohmann::json;

void ListWatchState::list_item(std::string_view item) {
    const base::Result<Value> parsed = parser_.parse(item);
    if (!parsed) {
        list_item_unreadable(item, parsed.error().sentence);
    } else if (!store_.seen(*parsed)) {
        list_item_unreadable(item, "has no name or no uid");
    }
}

// Reads the object's name from the readable part, if possible. The object exists and keeps its last state.
void ListWatchState::list_item_unreadable(std::string_view front, std::string_view fault) {
    const PartialIdentity object = identity_of_object(front);
    if (!object.is_named())
        ++nameless_;
    report_unreadable(object, fmt::format("an item of the list {}", fault));
}

void ListWatchState::report_unreadable(const PartialIdentity& object, const std::string& fault) {
    if (!object.is_named()) {
        ++figures_.unreadable;
        unreadable_(json(), fault);
    } else if (store_.seen_unreadable(object)) {
        ++figures_.unreadable;
        unreadable_(store_.identity_object_of(object), fault);
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
    const std::string_view type = event->text_of("type");
    if (type == "ERROR") {
        watch_error_was_handled_ = true;
        error_event(object.tree(), now);
        return false;
    }
    take_event(type, object);
    if (const auto version = object.find("metadata").text_of("resourceVersion"); !version.empty())
        version_ = version;
    watch_had_event_ = true;
    expired_at_once_ = false;
    watch_failures_ = 0;
    figures_.last_event = now;
    return true;
}

void ListWatchState::take_event(std::string_view type, const Value& object) {
    bool has_name = true;
    if (type == "ADDED") {
        ++figures_.added;
        has_name = store_.seen(object);
    } else if (type == "MODIFIED") {
        ++figures_.modified;
        has_name = store_.seen(object);
    } else if (type == "DELETED") {
        ++figures_.deleted;
        has_name = store_.gone(object);
    } else if (type == "BOOKMARK") {
        ++figures_.bookmarks;
    } else {
        report_unreadable({}, fmt::format("an event of the watch has the unknown type {}", shown(type)));
    }
    if (!has_name)
        report_unreadable({}, "an event's object has no name or no uid");
}

bool ListWatchState::watch_line_too_long(std::string_view front, Instant now) {
    return watch_line_unreadable(front, fmt::format("is longer than {} bytes", longest_piece), now);
}

// The watch continues with the next line. If the version can be read, a later watch resumes after it.
bool ListWatchState::watch_line_unreadable(std::string_view front, std::string_view fault, Instant now) {
    const PartialIdentity object = identity_of_event(front);
    if (object.type == "ERROR") {
        watch_error_was_handled_ = true;
        ++figures_.restarts_error;
        watch_failed(fmt::format("the watch of {} was ended by an error that can't be read", name_), now);
        return false;
    }
    if (object.type == "DELETED" && object.is_named()) {
        ++figures_.deleted;
        store_.gone(object);
    } else {
        const bool is_about_object = object.type == "ADDED" || object.type == "MODIFIED";
        report_unreadable(is_about_object ? object : PartialIdentity{}, fmt::format("a line of the watch {}", fault));
    }
    if (!object.version.empty())
        version_ = object.version;
    return true;
}

}  // namespace echelon::kube
