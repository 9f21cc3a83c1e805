import HTTPTypes
import Hummingbird
import MusterCore
import MusterServer
import MusterWire
import NIOCore

/// What an app sent: its fields, in the query or as a form, or JSON.
struct TrackerRequest {
    /// The fields of the query; where it has none and the body is no JSON, those of the body.
    let fields: FormFields
    /// The body, or the query where there is no body.
    let bytes: [UInt8]
    private let isJSON: Bool

    /// Reads the body of a request. Of a multipart form it keeps the fields, and skips the files.
    ///
    /// - Throws: `Problem` when the body is too large, or in an unknown encoding.
    init(_ request: Request, limits: BodyLimits = .standard) async throws {
        if var form = request.headers[.contentType].flatMap({ MultipartFields(contentType: $0) }) {
            bytes = try await Self.read(&form, of: request)
            let asked = FormFields(request.uri.query ?? "")
            fields = asked.isEmpty ? form.fields : asked
            isJSON = false
            return
        }
        let body = try await request.collectBody(limits)
        let query = request.uri.query ?? ""
        // Apps post JSON as text, too, and GPSLogger sends the media type that its user typed, or none.
        let first = body.readableBytesView.first { $0 > 0x20 }
        isJSON = first == UInt8(ascii: "{") || first == UInt8(ascii: "[")
        let asked = FormFields(query)
        fields = asked.isEmpty && !isJSON ? FormFields(String(buffer: body)) : asked
        bytes = body.readableBytes > 0 ? Array(buffer: body) : Array(query.utf8)
    }

    /// The largest multipart form: a picture of a phone's camera.
    private static let multipartLimitBytes = 64 << 20

    /// Reads a multipart form as it arrives, and returns its first bytes. What is malformed ends the fields: the app
    /// would send the same again for ever.
    private static func read(_ form: inout MultipartFields, of request: Request) async throws -> [UInt8] {
        var head: [UInt8] = []
        var count = 0
        var isReadable = true
        for try await piece in request.body {
            count += piece.readableBytes
            guard count <= multipartLimitBytes else { throw Problem.tooLarge(limitBytes: multipartLimitBytes) }
            head += piece.readableBytesView.prefix(FormFields.limitBytes - head.count)
            guard isReadable else { continue }
            do { try form.add(piece.readableBytesView) } catch { isReadable = false }
        }
        return head
    }

    /// The token in the fields or in the JSON, in the place where the app has the device's id; nil where there is none.
    var token: String? {
        let named = ["id", "deviceid", "token", "pass"].flatMap { fields.texts($0) }
        if let token = named.first(where: { $0.isDeviceToken }) { return token }
        guard isJSON, let value = try? JSONValue(lenientlyParsing: bytes), let id = value.trackerID else { return nil }
        return id.isDeviceToken ? id : nil
    }

    /// Reads the body of a request whose sender is unknown, and leaves it in the request. A stranger may send a small
    /// body only.
    ///
    /// - Throws: `Problem` when the body is too large, or in an unknown encoding.
    init(ofStranger request: inout Request) async throws {
        let body = try await request.collectBody(.small)
        var head = request.head
        head.headerFields[.contentEncoding] = nil
        request = Request(head: head, body: RequestBody(buffer: body))
        try await self.init(request)
    }

    /// Reads the report.
    ///
    /// - Throws: `JSONError` when nothing of the report can be read.
    func report(from app: TrackerApp, receivedAt now: Instant) throws(JSONError) -> TrackerReport {
        switch app {
        case .osmAnd:
            guard isJSON else { return OsmAndReport.report(fields, receivedAt: now) }
            return try read { bytes throws(JSONError) in
                try OsmAndReport.report(parsing: bytes, receivedAt: now)
            }
        case .overland:
            return try read { bytes throws(JSONError) in
                try OverlandReport.report(parsing: bytes, receivedAt: now)
            }
        case .uLogger: return ULoggerReport.report(fields, receivedAt: now)
        }
    }

    private func read(
        _ parse: (UnsafeRawBufferPointer) throws(JSONError) -> TrackerReport
    ) throws(JSONError) -> TrackerReport {
        try bytes.withUnsafeBytes { buffer in
            Result { () throws(JSONError) in try parse(buffer) }
        }.get()
    }
}

extension String {
    /// Whether the text looks like the token of a device.
    var isDeviceToken: Bool { hasPrefix(SecretToken.Kind.device.rawValue) }

    /// Whether the text has the length and the letters of a device's token.
    var isWholeToken: Bool {
        isDeviceToken && utf8.count == SecretToken.length && utf8.allSatisfy(SecretToken.isLetter)
    }
}
