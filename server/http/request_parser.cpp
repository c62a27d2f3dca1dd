#include "server/http/request_parser.hpp"

#include "server/http/guarded_stream.hpp"

#include <exception>
#include <optional>
#include <utility>

namespace echelon::server {

// Reaches the parser that the library keeps protected.
class RequestParser::Library : public httplib::Server {
public:
    Library() {
        set_pre_routing_handler([this](const httplib::Request& request, httplib::Response&) {
            parsed_.emplace();
            parsed_->method = request.method;
            parsed_->path = request.path;
            parsed_->query = request.params;
            parsed_->accept = request.get_header_value("Accept");
            return HandlerResponse::Handled;
        });
    }

    std::optional<Request> parse(std::string_view bytes) {
        parsed_.reset();
        BufferedRequestStream stream(bytes);
        bool closed = false;
        process_request(stream, false, closed, nullptr);
        return std::exchange(parsed_, std::nullopt);
    }

private:
    std::optional<Request> parsed_;
};

RequestParser::RequestParser() : library_(std::make_unique<Library>()) {}
RequestParser::~RequestParser() = default;

base::Result<Request> RequestParser::parse(std::string_view bytes, std::size_t head_bytes) {
    try {
        auto parsed = library_->parse(bytes);
        if (!parsed)
            return base::failure("the request line or a header can't be read");
        parsed->body = bytes.substr(head_bytes);
        return std::move(*parsed);
    } catch (const std::exception&) {  // The library allocates and converts.
        return base::failure("the request can't be parsed");
    }
}

}  // namespace echelon::server
