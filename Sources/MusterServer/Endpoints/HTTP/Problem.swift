package import HTTPTypes
package import Hummingbird
package import MusterGeometry
import MusterWire
import NIOCore

/// What went wrong with a request, as RFC 9457 tells it.
package struct Problem: Error, Hashable, Sendable {
    /// One thing wrong with the body or the query.
    package struct Fault: Hashable, Sendable {
        /// Which value: an RFC 6901 pointer into the body, or `?name` for a part of the query.
        package var pointer: String
        /// What is wrong with it, for a person.
        package var detail: String

        /// Which feature of a region file; nil elsewhere.
        package var feature: Int?
        /// The place on the map that is at fault, where there is one.
        package var coordinate: Coordinate?

        /// A fault at a place.
        package init(_ pointer: String, _ detail: String, feature: Int? = nil, coordinate: Coordinate? = nil) {
            self.pointer = pointer
            self.detail = detail
            self.feature = feature
            self.coordinate = coordinate
        }
    }

    /// The answer's status.
    package let status: HTTPResponse.Status
    /// Names the kind of problem, for programs: `urn:muster:problem:` and this.
    package let slug: String
    /// The kind of problem, for people.
    package let title: String
    /// What is special about this one.
    package var detail: String?
    /// Everything wrong with the request, as far as it was looked at.
    package var faults: [Fault] = []
    /// Header fields that belong to it, such as `Retry-After`.
    package var headers: HTTPFields = [:]

    private init(_ status: HTTPResponse.Status, _ slug: String, _ title: String, _ detail: String? = nil) {
        self.status = status
        self.slug = slug
        self.title = title
        self.detail = detail
    }

    /// The answer that tells it.
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
    /// There is no such thing, or it is not for these eyes: the answer is the same.
    package static let notFound = Problem(.notFound, "not-found", "There is nothing here.")

    /// The request shows no credential, or none that is good.
    package static let unauthorized: Problem = {
        var problem = Problem(.unauthorized, "unauthorized", "Who are you?", "Sign in, or show a token that is good.")
        problem.headers[.wwwAuthenticate] = #"Bearer realm="muster""#
        return problem
    }()

    /// The principal's role has no business on this route.
    package static let forbidden = Problem(.forbidden, "forbidden", "This is not yours to do.")

    /// As `forbidden`, with a reason.
    package static func forbidden(_ detail: String) -> Problem {
        Problem(.forbidden, "forbidden", "This is not yours to do.", detail)
    }

    /// The path is one of ours, the method is none of its.
    package static func methodNotAllowed(_ allowed: [HTTPRequest.Method]) -> Problem {
        let list = allowed.map(\.rawValue).joined(separator: ", ")
        var problem = Problem(
            .methodNotAllowed, "method-not-allowed", "This path does not take this method.", "It takes \(list).")
        problem.headers[.allow] = list
        return problem
    }

    /// The body is not what its type says, or not encoded as JSON must be.
    package static func malformed(_ detail: String, _ faults: [Fault] = []) -> Problem {
        var problem = Problem(.badRequest, "malformed", "The request cannot be read.", detail)
        problem.faults = faults
        return problem
    }

    /// The request can be read; what it says cannot be.
    package static func invalid(_ faults: [Fault], _ detail: String? = nil) -> Problem {
        var problem = Problem(.unprocessableContent, "invalid", "Something in the request is wrong.", detail)
        problem.faults = faults
        return problem
    }

    /// One thing in the request is wrong.
    package static func invalid(_ pointer: String, _ detail: String) -> Problem { .invalid([Fault(pointer, detail)]) }

    /// The body is larger than this route takes.
    package static func tooLarge(limitBytes: Int) -> Problem {
        Problem(
            .contentTooLarge, "too-large", "The body is too large.", "At most \(limitBytes) bytes are taken.")
    }

    /// The body is of a type or an encoding that this route does not take.
    package static func unsupportedMediaType(_ detail: String) -> Problem {
        Problem(.unsupportedMediaType, "unsupported-media-type", "The body's type is not taken here.", detail)
    }

    /// None of the types that the client accepts can be made.
    package static func notAcceptable(_ detail: String) -> Problem {
        Problem(.notAcceptable, "not-acceptable", "This cannot be given in that form.", detail)
    }

    /// It contradicts what there is: the name is taken, the last admin would go.
    package static func conflict(_ detail: String) -> Problem {
        Problem(.conflict, "conflict", "This contradicts what there is.", detail)
    }

    /// What was asked for is not kept any longer.
    package static func gone(_ detail: String) -> Problem {
        Problem(.gone, "gone", "This is not kept any longer.", detail)
    }

    /// Too many tries.
    package static func tooManyRequests(
        retryAfterSeconds: Int, _ detail: String = "Wait, and try again."
    ) -> Problem {
        var problem = Problem(.tooManyRequests, "too-many-tries", "Too many tries.", detail)
        problem.headers[.retryAfter] = "\(retryAfterSeconds)"
        return problem
    }

    /// It would take more than a quota allows; nothing of it was done.
    package static func overQuota(_ fault: QuotaError) -> Problem {
        var problem = Problem(fault.status, "over-quota", "This is more than a quota allows.", fault.words)
        if let seconds = fault.retryAfterSeconds { problem.headers[.retryAfter] = "\(seconds)" }
        return problem
    }

    /// It cannot be done now; nothing of it was done.
    package static func unavailable(_ detail: String, retryAfterSeconds: Int = 1) -> Problem {
        var problem = Problem(.serviceUnavailable, "unavailable", "Not now; try again.", detail)
        problem.headers[.retryAfter] = "\(retryAfterSeconds)"
        return problem
    }

    /// The disk takes no writes; nothing of it was done.
    package static var insufficientStorage: Problem {
        var problem = Problem(
            .init(code: 507, reasonPhrase: "Insufficient Storage"), "insufficient-storage",
            "Nothing can be stored now.",
            StorageWords.refusal)
        problem.headers[.retryAfter] = "\(StorageWords.retryAfterSeconds)"
        return problem
    }

    /// We made a mistake.
    package static let internalError = Problem(
        .internalServerError, "internal", "The server made a mistake.", "It is in the server's log.")
}
