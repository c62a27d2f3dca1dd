#include "app/settings_watch.hpp"

#include <utility>

namespace echelon::app {

std::optional<SettingsWatch::Parsed> SettingsWatch::poll() {
    auto text = config::read_file(file_);
    if (!text) {
        if (!std::exchange(seen_, std::nullopt))
            return std::nullopt;
        return Parsed(std::unexpect, std::vector{std::move(text.error())});
    }
    if (seen_ == *text)
        return std::nullopt;
    seen_ = std::move(*text);
    return config::parse(*seen_);
}

}  // namespace echelon::app
