import HTTPTypes
import Hummingbird
import MusterHTTP
package import NIOCore

// How a route reads the body of its request: within limits, inflated, and only of a media type that it accepts.

/// The largest size of a body, as it arrives and after inflating.
package struct BodyLimits: Sendable {
    /// The limit for the bytes that arrive.
    package var bytes: Int
    /// The limit for the bytes after inflating.
    package var inflatedBytes: Int

    package init(bytes: Int, inflatedBytes: Int) {
        self.bytes = bytes
        self.inflatedBytes = inflatedBytes
    }

    /// For small requests, such as signing in or creating a user.
    package static let small = BodyLimits(bytes: 16 << 10, inflatedBytes: 64 << 10)
    /// For positions and most other requests.
    package static let standard = BodyLimits(bytes: 1 << 20, inflatedBytes: 8 << 20)
    /// For region files.
    package static let large = BodyLimits(bytes: 10_000_000, inflatedBytes: 10_000_000)
    /// For region files in KML, which writes a position at greater length.
    package static let kml = BodyLimits(bytes: 30_000_000, inflatedBytes: 30_000_000)
    /// For tables of people.
    package static let table = BodyLimits(bytes: 32 << 20, inflatedBytes: 32 << 20)
}

extension Request {
    /// The media type of the body, in lower case and without parameters; nil where the request does not state it.
    package var mediaType: String? {
        headers[.contentType].map { type in
            let essence = type.split(separator: ";", maxSplits: 1).first ?? ""
            return essence.lowercased().filter { $0 != " " }
        }
    }

    /// Checks that the body's media type is JSON, or absent.
    ///
    /// - Throws: `Problem.unsupportedMediaType`.
    package func requireJSON() throws(Problem) {
        guard let type = mediaType else { return }
        guard type == "application/json" || (type.hasPrefix("application/") && type.hasSuffix("+json")) else {
            throw .unsupportedMediaType("Send application/json.")
        }
    }

    /// Reads the whole body, and inflates a compressed one.
    ///
    /// - Throws: `Problem.tooLarge`, as soon as it is known; `.unsupportedMediaType` for an unknown encoding;
    ///   `.malformed` when it cannot be inflated.
    package func collectBody(_ limits: BodyLimits) async throws -> ByteBuffer {
        if let text = headers[.contentLength], let length = Int(text), length > limits.bytes {
            throw Problem.tooLarge(limitBytes: limits.bytes)
        }
        let body: ByteBuffer
        do {
            body = try await self.body.collect(upTo: limits.bytes)
        } catch is NIOTooManyBytesError {
            throw Problem.tooLarge(limitBytes: limits.bytes)
        }
        guard let encoding = headers[.contentEncoding]?.lowercased(), encoding != "identity" else { return body }
        guard encoding == "gzip" || encoding == "x-gzip" || encoding == "deflate" else {
            throw Problem.unsupportedMediaType("Content-Encoding is gzip, deflate or identity.")
        }
        do throws(InflateError) {
            return try Gzip.inflate(body, limitBytes: limits.inflatedBytes)
        } catch {
            switch error {
            case .tooLarge: throw Problem.tooLarge(limitBytes: limits.inflatedBytes)
            case .damaged: throw Problem.malformed("The body is not what its Content-Encoding says.")
            }
        }
    }
}
