#pragma once

// How does a test call the server by a bare socket? It sends any bytes, and reads answers one by one. Waits end after
// 20 s.

#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace echelon::server::test {

struct Heard {
    int status = 0;
    std::map<std::string, std::string> headers;  // Names in lower case.
    std::string body;
};

class Wire {
public:
    explicit Wire(int port, int receive_buffer = 0, const char* from = "127.0.0.1");
    ~Wire();
    Wire(Wire&& other) noexcept;
    Wire(const Wire&) = delete;
    Wire& operator=(const Wire&) = delete;

    [[nodiscard]] bool is_connected() const { return socket_ >= 0; }
    // False when the peer no longer takes bytes.
    bool send(std::string_view bytes);
    // The next answer; nullopt: the connection ended, or the answer wasn't complete in time.
    std::optional<Heard> hear(bool has_body = true);
    // True when the peer ends the connection without another byte.
    bool ends();
    // No more will be sent.
    void finish();
    void hang_up();

private:
    bool receive();

    int socket_ = -1;
    std::string pending_;
};

// A framed POST.
std::string post(std::string_view path, std::string_view body, std::string_view more_headers = {});
// Connects, sends, hears, all in one.
std::optional<Heard> ask(int port, std::string_view request);

}  // namespace echelon::server::test
