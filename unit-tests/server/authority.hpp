#pragma once

// How does a test get certificates? From an authority that removes its files at the end.

#include "config/settings.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace echelon::server::test {

struct Identity {
    std::string cert_file;
    std::string key_file;
};

class Authority {
public:
    Authority();
    ~Authority();
    Authority(const Authority&) = delete;
    Authority& operator=(const Authority&) = delete;

    // A certificate with this common name and these alternative names ("DNS:a", "URI:b", "IP:127.0.0.1").
    Identity sign(const std::string& common_name, const std::string& alternatives = "");
    [[nodiscard]] const std::string& ca_file() const { return ca_file_; }
    // The server's side, for callers of this authority.
    config::Tls server(std::vector<std::string> allowed_names = {});

private:
    struct Keys;
    std::filesystem::path folder_;
    std::string ca_file_;
    std::unique_ptr<Keys> keys_;
    int serial_ = 1;
};

}  // namespace echelon::server::test
