#pragma once

// How does the library's TLS client read and write in few calls?
//
// cpp-httplib reads the header of an answer byte by byte, each through OpenSSL, and sends the header and the body of a
// request as two records. Here a record is decrypted once, and a request is one record. The limits of the library hold
// inside records, too. Used by one thread at a time.

#include <functional>
#include <string>

#include <httplib.h>

namespace echelon::kube {

class TlsConnection : public httplib::SSLClient {
public:
    using SSLClient::SSLClient;

    // The server's certificate must have this DNS name or IP address among its alternative names. The library's own
    // check takes some for others: it compares an IPv4 address with the front of IPv6 ones, and it takes common names.
    void require_name(const std::string& name);

private:
    bool process_socket(const Socket& socket, std::function<bool(httplib::Stream&)> exchange) override;
};

}  // namespace echelon::kube
