package import HTTPTypes
package import Hummingbird
package import MusterGeometry
import MusterWire
import NIOCore

/// An error of a request, as RFC 9457 represents it.
package struct Problem: Error, Hashable, Sendable {
    /// One fault of the body or the query.
    package struct Fault: Hashable, Sendable {
        /// The location of the fault: an RFC 6901 pointer into the body, or `?name` for a query parameter. Into a table
        /// it is `/LINE/COLUMN`, or `/LINE` for a whole row.
        package var pointer: String
        /// A description for people.
        package var detail: String

        /// The index of the feature in a region file; nil elsewhere.
        package var feature: Int?
        /// The position on the map where the fault is, if it has one.
        package var coordinate: Coordinate?
        /// The line of the row in a table, from 1; nil elsewhere.
        package var line: Int?
        /// The name of the column in a table; nil elsewhere, and for a whole row.
        package var column: String?
        /// The name of the region in a KML file; nil elsewhere, and outside of regions.
        package var region: String?

        package init(_ pointer: String, _ detail: String, feature: Int? = nil, coordinate: Coordinate? = nil) {
            self.pointer = pointer
            self.detail = detail
            self.feature = feature
            self.coordinate = coordinate
        }

        /// Makes a fault of a table.
        package init(line: Int, column: String?, _ detail: String) {
            let row = JSONPointer.appending(line, to: "")
            self.init(column.map { JSONPointer.appending($0, to: row) } ?? row, detail)
            self.line = line
            self.column = column
        }
    }

    /// The status of the answer.
    package let status: HTTPResponse.Status
    /// The kind of problem, for programs: `urn:muster:problem:` followed by this.
    package let slug: String
    /// The kind of problem, for people.
    package let title: String
    /// The details of this occurrence.
    package var detail: String?
    /// All faults found in the request; of a table with very many, the first.
    package var faults: [Fault] = []
    /// How many faults the request has, where `faults` may not list all; nil elsewhere.
    package var faultCount: Int?
    /// Additional header fields, such as `Retry-After`.
    package var headers: HTTPFields = [:]

    private init(_ status: HTTPResponse.Status, _ slug: String, _ title: String, _ detail: String? = nil) {
        self.status = status
        self.slug = slug
        self.title = title
        self.detail = detail
    }

    /// The answer that contains the problem.
    package var response: Response {
        var writer = JSONWriter()
        writer.beginObject()
        writer.key("type")
        writer.value("urn:muster:problem:\(slug)")
        writer.key("title")
        writer.value(title)
        writer.key("status")
        writer.value(status.code)
        if let detail {
            writer.key("detail")
            writer.value(detail)
        }
        if !faults.isEmpty {
            writer.key("errors")
            writer.beginArray()
            for fault in faults { writer.fault(fault) }
            writer.endArray()
        }
        if let faultCount { writer.member("errorCount", faultCount) }
        writer.endObject()
        var headers = headers
        headers[.contentType] = "application/problem+json"
        return Response(status: status, headers: headers, body: .init(byteBuffer: ByteBuffer(bytes: writer.bytes)))
    }
}

extension JSONWriter {
    fileprivate mutating func fault(_ fault: Problem.Fault) {
        beginObject()
        member("pointer", fault.pointer)
        member("detail", fault.detail)
        if let feature = fault.feature { member("feature", feature) }
        if let line = fault.line { member("line", line) }
        member("column", fault.column)
        member("region", fault.region)
        if let coordinate = fault.coordinate {
            key("coordinate")
            beginArray()
            value(coordinate.longitude)
            value(coordinate.latitude)
            endArray()
        }
        endObject()
    }
}

// MARK: The kinds

extension Problem {
    /// The resource does not exist, or the principal may not see it; the answer is the same.
    package static let notFound = Problem(.notFound, "not-found", "There is no such resource, or you may not see it.")

    /// The same as `notFound`, with a reason, for a principal who may see that the resource does not exist.
    package static func notFound(_ detail: String) -> Problem {
        Problem(.notFound, "not-found", "There is no such resource, or you may not see it.", detail)
    }

    /// The request has no credential, or no valid one.
    package static let unauthorized: Problem = {
        var problem = Problem(
            .unauthorized, "unauthorized", "The request is not authenticated.",
            "Sign in, or send a valid token.")
        problem.headers[.wwwAuthenticate] = #"Bearer realm="muster""#
        return problem
    }()

    /// The principal's role may not use this route.
    package static let forbidden = Problem(.forbidden, "forbidden", "You may not do this.")

    /// The same as `forbidden`, with a reason.
    package static func forbidden(_ detail: String) -> Problem {
        Problem(.forbidden, "forbidden", "You may not do this.", detail)
    }

    /// A file of map tiles is damaged where the tile is, and so it cannot be sent.
    static func unreadableTile(_ detail: String) -> Problem {
        Problem(.internalServerError, "unreadable-tile", "The map tile cannot be read.", detail)
    }

    /// The path exists, but does not take this method.
    package static func methodNotAllowed(_ allowed: [HTTPRequest.Method]) -> Problem {
        let list = allowed.map(\.rawValue).joined(separator: ", ")
        var problem = Problem(
            .methodNotAllowed, "method-not-allowed", "This path does not support this method.", "It supports \(list).")
        problem.headers[.allow] = list
        return problem
    }

    /// The body does not match its media type, or is not valid JSON.
    package static func malformed(_ detail: String, _ faults: [Fault] = []) -> Problem {
        var problem = Problem(.badRequest, "malformed", "The request cannot be read.", detail)
        problem.faults = faults
        return problem
    }

    /// The request can be parsed, but has invalid values.
    package static func invalid(_ faults: [Fault], _ detail: String? = nil) -> Problem {
        var problem = Problem(.unprocessableContent, "invalid", "The request has an invalid value.", detail)
        problem.faults = faults
        return problem
    }

    /// One value of the request is invalid.
    package static func invalid(_ pointer: String, _ detail: String) -> Problem { .invalid([Fault(pointer, detail)]) }

    /// The body is larger than this route accepts.
    package static func tooLarge(limitBytes: Int) -> Problem {
        Problem(
            .contentTooLarge, "too-large", "The body is too large.", "The limit is \(limitBytes) bytes.")
    }

    /// This route does not accept the body's media type or encoding.
    package static func unsupportedMediaType(_ detail: String) -> Problem {
        Problem(.unsupportedMediaType, "unsupported-media-type", "This path does not accept the body's type.", detail)
    }

    /// The request conflicts with the current state: the name is taken, or the last admin would be removed.
    package static func conflict(_ detail: String) -> Problem {
        Problem(.conflict, "conflict", "The request conflicts with the current state.", detail)
    }

    /// What the request would change is not as the caller read it (RFC 9110, section 15.5.13); nothing was done.
    package static func changedMeanwhile(_ detail: String) -> Problem {
        Problem(.preconditionFailed, "changed-meanwhile", "This was changed meanwhile.", detail)
    }

    /// The request would exceed a fixed limit; nothing of it was done, and trying again does not help.
    package static func overLimit(_ detail: String) -> Problem {
        Problem(.conflict, "over-limit", "This is more than fits.", detail)
    }

    /// The route speaks another protocol, to which the client must ask to change.
    package static func upgradeRequired(_ detail: String) -> Problem {
        var problem = Problem(.upgradeRequired, "upgrade-required", "Ask to change the protocol.", detail)
        problem.headers[.upgrade] = "websocket"
        return problem
    }

    /// The server no longer keeps the requested data.
    package static func gone(_ detail: String) -> Problem {
        Problem(.gone, "gone", "The server no longer keeps this.", detail)
    }

    /// The client has sent too many requests.
    package static func tooManyRequests(
        retryAfterSeconds: Int, _ detail: String = "Wait, and try again."
    ) -> Problem {
        var problem = Problem(.tooManyRequests, "too-many-tries", "Too many requests.", detail)
        problem.headers[.retryAfter] = "\(retryAfterSeconds)"
        return problem
    }

    /// The request would exceed a quota; nothing of it was done.
    package static func overQuota(_ fault: QuotaError) -> Problem {
        var problem = Problem(fault.status, "over-quota", "The request would exceed a quota.", fault.words)
        if let seconds = fault.retryAfterSeconds { problem.headers[.retryAfter] = "\(seconds)" }
        return problem
    }

    /// The server cannot do this now; nothing of it was done.
    package static func unavailable(_ detail: String, retryAfterSeconds: Int = 1) -> Problem {
        var problem = Problem(.serviceUnavailable, "unavailable", "The server cannot do this now; try again.", detail)
        problem.headers[.retryAfter] = "\(retryAfterSeconds)"
        return problem
    }

    /// The disk accepts no writes; nothing of the request was done.
    package static var insufficientStorage: Problem {
        var problem = Problem(
            .init(code: 507, reasonPhrase: "Insufficient Storage"), "insufficient-storage",
            "The server cannot store anything now.",
            StorageWords.refusal)
        problem.headers[.retryAfter] = "\(StorageWords.retryAfterSeconds)"
        return problem
    }

    /// An unexpected error in the server.
    package static let internalError = Problem(
        .internalServerError, "internal", "The server failed unexpectedly.", "Its log has the details.")
}
