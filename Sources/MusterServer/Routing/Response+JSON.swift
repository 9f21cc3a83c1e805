package import HTTPTypes
package import Hummingbird
import MusterHTTP
package import MusterWire
package import NIOCore

/// Responses in JSON.
extension Response {
    /// Makes an answer whose body a closure writes as JSON.
    package static func json(
        _ status: HTTPResponse.Status = .ok, as type: String = "application/json",
        _ write: (inout JSONWriter) throws -> Void
    ) rethrows -> Response {
        var writer = JSONWriter()
        try write(&writer)
        return Response(
            status: status, headers: [.contentType: type],
            body: .init(byteBuffer: ByteBuffer(bytes: writer.bytes)))
    }

    /// Makes a list's answer whose body a closure writes as JSON, compressed as `init(_:as:answering:)` does.
    package static func json(
        answering request: Request, as type: String = "application/json", _ write: (inout JSONWriter) throws -> Void
    ) rethrows -> Response {
        var writer = JSONWriter()
        try write(&writer)
        return Response(ByteBuffer(bytes: writer.bytes), as: type, answering: request)
    }

    /// Makes a list's answer, compressed where the client accepts gzip and the answer is 1 kB or longer. A team's
    /// positions become a seventh so.
    ///
    /// It is not for answers that hold a secret: the length of a compressed answer tells what is in it twice.
    package init(_ body: ByteBuffer, as type: String, answering request: Request) {
        var (body, headers): (ByteBuffer, HTTPFields) = (body, [.contentType: type, .vary: "Accept-Encoding"])
        if request.accepts("gzip"), body.readableBytes >= 1_024, let packed = Gzip.pack(body, effort: .least) {
            body = packed
            headers[.contentEncoding] = "gzip"
        }
        self.init(status: .ok, headers: headers, body: .init(byteBuffer: body))
    }

    /// An answer without a body.
    package static var noContent: Response { Response(status: .noContent) }
}

extension JSONWriter {
    /// Writes a member with a text; writes nothing for nil.
    package mutating func member(_ key: StaticString, _ text: String?) {
        guard let text else { return }
        self.key(key)
        value(text)
    }

    /// Writes a member with a list.
    package mutating func member<Element>(
        _ key: StaticString, listing elements: some Sequence<Element>,
        _ write: (inout JSONWriter, Element) throws -> Void
    ) rethrows {
        self.key(key)
        beginArray()
        for element in elements { try write(&self, element) }
        endArray()
    }
}
