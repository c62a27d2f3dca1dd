#include "config/addresses.hpp"

#include "config/document.hpp"
#include "config/scalars.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace echelon::config {

namespace {

// Line of the address in the file; 0: it isn't there.
int line_of(const Section& root, std::string_view key) {
    const Value::Entry* section = root.find(key);
    if (section == nullptr)
        return 0;
    const auto at = std::ranges::find(section->value.entries, "address", &Value::Entry::key);
    return at == section->value.entries.end() ? 0 : at->value.line;
}

}  // namespace

void read_address(Section& section, std::string_view like, Address& out) {
    const Value::Entry* entry = section.require("address");
    if (!section.is(entry, Value::Kind::text, fmt::format("an address like \"{}\"", like)))
        return;
    if (const auto address = parse_address(entry->value.text)) {
        out = *address;
    } else {
        section.complain(*entry, address.error());
    }
}

void read_port(const Value& value, const std::string& path, Address& out, Faults& faults) {
    Section section(value, path, {"address"}, faults);
    read_address(section, "127.0.0.1:9300", out);
}

void check_addresses(const Section& root, const Settings& settings, Faults& faults) {
    std::vector<std::pair<std::string_view, Address>> ports = {
        {"extender", settings.extender}, {"bind", settings.bind}, {"admin", settings.admin}};
    if (!settings.tls) {
        for (const auto& [key, address] : {ports[0], ports[1]}) {
            if (!address.is_loopback()) {
                faults.push_back(
                    {line_of(root, key), fmt::format("{}.address", key), "must be on loopback, or tls be configured"});
            }
        }
    }
    if (settings.webhook)
        ports.emplace_back("webhook", settings.webhook->address);
    for (auto port = ports.begin(); port != ports.end(); ++port) {
        const auto same = std::ranges::find(ports.begin(), port, port->second, &decltype(ports)::value_type::second);
        if (same == port)
            continue;
        // Defaults differ, so at least one of the two is in the file.
        const auto& [here, other] = line_of(root, port->first) != 0 ? std::pair(*port, *same) : std::pair(*same, *port);
        faults.push_back({line_of(root, here.first), fmt::format("{}.address", here.first),
                          fmt::format("is the address of {}, too", other.first)});
    }
}

}  // namespace echelon::config
