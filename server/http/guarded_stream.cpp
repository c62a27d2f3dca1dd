#include "server/http/guarded_stream.hpp"

#include <algorithm>
#include <cstring>

namespace echelon::server {

ssize_t BufferedRequestStream::read(char* to, size_t size) {
    auto taken = std::min(size, rest_.size());
    std::memcpy(to, rest_.data(), taken);
    rest_.remove_prefix(taken);
    return static_cast<ssize_t>(taken);
}

ssize_t BufferedRequestStream::write(const char* from, size_t size) {
    written_.append(from, size);
    return static_cast<ssize_t>(size);
}

void BufferedRequestStream::get_remote_ip_and_port(std::string& ip, int& port) const {
    ip.clear();
    port = 0;
}

void BufferedRequestStream::get_local_ip_and_port(std::string& ip, int& port) const {
    ip.clear();
    port = 0;
}

}  // namespace echelon::server
