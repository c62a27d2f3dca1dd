// What one item of a list or one line of a watch says. What can't be read costs its own object alone (BD7): it stays as
// it was, is counted and named, and reading goes on behind it.

#include "kube/json/json_member.hpp"
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

void ListWatchState::list_item(std::string_view item) {
    base::Result<json> parsed = parse_object(item);
    if (!parsed) {
        skip_item(item, parsed.error().sentence);
    } else if (!inventory_.seen(*parsed)) {
        skip_item(item, "has no name or no uid");
    }
}

// Whatever can be learned of its name: the object is there, and stays as it was.
void ListWatchState::skip_item(std::string_view item, std::string_view fault) {
    const Remains object = remains_of_object(item);
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
    skip_item(front, fmt::format("is longer than {} bytes", longest_piece));
}

bool ListWatchState::watch_line(std::string_view line, Instant now) {
    base::Result<json> event = parse_object(line);
    if (!event)
        return skip_event(line, event.error().sentence, now);
    const json* object = member_of(*event, "object");
    if (object == nullptr || !object->is_object())
        return skip_event(line, "has no object", now);
    const std::string type = text_of(*event, "type");
    if (type == "ERROR") {
        watch_was_settled_ = true;
        error_event(*object, now);
        return false;
    }
    json& owned = (*event)["object"];
    take_event(type, owned);
    if (std::string version = metadata_of(owned, "resourceVersion"); !version.empty())
        version_ = std::move(version);
    watch_had_event_ = true;
    watch_failures_ = 0;
    figures_.last_event = now;
    return true;
}

void ListWatchState::take_event(const std::string& type, json& object) {
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
    return skip_event(front, fmt::format("is longer than {} bytes", longest_piece), now);
}

// The watch goes on behind it, and is taken up behind it if its version can be read.
bool ListWatchState::skip_event(std::string_view line, std::string_view fault, Instant now) {
    const Remains object = remains_of_event(line);
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
