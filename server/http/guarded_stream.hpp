#pragma once

// What the HTTP library may see of a connection: one request that is in memory already, and not a byte more.
//
// Reading ends after exactly the head and the body, writing goes into a string: the library never meets a socket, so it
// can neither wait nor read into the next request. One thread, one request.

#include <string>
#include <string_view>

#include <httplib.h>

namespace echelon::server {

class BufferedRequestStream : public httplib::Stream {
public:
    // `request`: head and body; must outlive the stream.
    explicit BufferedRequestStream(std::string_view request) : rest_(request) {}

    [[nodiscard]] bool is_readable() const override { return !rest_.empty(); }
    [[nodiscard]] bool is_writable() const override { return true; }
    ssize_t read(char* to, size_t size) override;
    ssize_t write(const char* from, size_t size) override;
    // The peer is known from accept, the library needs none.
    void get_remote_ip_and_port(std::string& ip, int& port) const override;
    void get_local_ip_and_port(std::string& ip, int& port) const override;
    // None: the library compares it with FD_SETSIZE.
    [[nodiscard]] socket_t socket() const override { return -1; }

    // What the library wrote.
    [[nodiscard]] std::string take_written() { return std::move(written_); }

private:
    std::string_view rest_;
    std::string written_;
};

}  // namespace echelon::server
