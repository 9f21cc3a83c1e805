package import HTTPTypes
package import Hummingbird
package import MusterWire
import NIOCore

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
