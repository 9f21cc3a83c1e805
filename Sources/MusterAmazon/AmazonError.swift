package import HTTPTypes
import Hummingbird
import MusterServer
import MusterWire
import NIOCore

/// An error in the form that AWS clients expect: a status, a code that they turn into an exception, and a message.
package struct AmazonError: Error, Hashable, Sendable {
    /// The HTTP status.
    package var status: Int
    /// The error code, such as `ValidationException`.
    package var code: String
    /// The message for people.
    package var message: String
    /// For a `ValidationException`: the reason, as the API model names it.
    package var reason: Reason?
    /// For a `ValidationException`: the invalid fields, with a message for each.
    package var fields: [Field] = []
    /// The seconds after which to try again, where that helps.
    package var retryAfterSeconds: Int?

    /// An invalid field.
    package struct Field: Hashable, Sendable {
        /// The field's name in the API model, such as `Updates.3.Position`.
        package var name: String
        /// The description of the fault.
        package var message: String

        package init(_ name: String, _ message: String) {
            self.name = name
            self.message = message
        }
    }

    /// Why a request is invalid, as the API model names it.
    package enum Reason: String, Hashable, Sendable {
        case unknownOperation = "UnknownOperation"
        case missing = "Missing"
        case cannotParse = "CannotParse"
        case fieldValidationFailed = "FieldValidationFailed"
        case other = "Other"
        case unknownField = "UnknownField"
    }

    package init(_ status: Int, _ code: String, _ message: String) {
        self.status = status
        self.code = code
        self.message = message
    }

    /// The request is invalid.
    package static func validation(
        _ message: String, _ reason: Reason = .fieldValidationFailed, _ fields: [Field] = []
    ) -> AmazonError {
        var fault = AmazonError(400, "ValidationException", message)
        fault.reason = reason
        fault.fields = fields
        return fault
    }

    /// One field of the request is invalid.
    package static func validation(_ field: String, _ message: String) -> AmazonError {
        .validation("\(field) \(message)", .fieldValidationFailed, [Field(field, message)])
    }

    /// The resource does not exist, or the principal may not see it.
    package static func notFound(_ message: String) -> AmazonError {
        AmazonError(404, "ResourceNotFoundException", message)
    }

    /// The request conflicts with the current state.
    package static func conflict(_ message: String) -> AmazonError { AmazonError(409, "ConflictException", message) }

    /// The quota of this kind of resource is reached.
    package static func quota(_ message: String) -> AmazonError {
        AmazonError(402, "ServiceQuotaExceededException", message)
    }

    /// The principal may not do this.
    package static func denied(_ message: String) -> AmazonError {
        AmazonError(403, "AccessDeniedException", message)
    }

    /// The access key has sent too many requests.
    package static func throttled(retryAfterSeconds: Int) -> AmazonError {
        var fault = AmazonError(429, "ThrottlingException", "Rate exceeded")
        fault.retryAfterSeconds = retryAfterSeconds
        return fault
    }

    /// An unexpected error in the server.
    package static let internalError = AmazonError(
        500, "InternalServerException", "The server made a mistake. It is in the server's log.")

    /// The HTTP response with this error. The code is in a header, where rest-json clients look, and in the body, where
    /// json-1.1 clients look.
    func response(as contentType: String) -> Response {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("__type", code)
        writer.member("message", message)
        writer.member("reason", reason?.rawValue)
        if reason != nil {
            writer.member("fieldList", listing: fields) { writer, field in
                writer.beginObject()
                writer.member("name", field.name)
                writer.member("message", field.message)
                writer.endObject()
            }
        }
        writer.endObject()
        var headers: HTTPFields = [.contentType: contentType, .amazonErrorType: code]
        if let retryAfterSeconds { headers[.retryAfter] = "\(retryAfterSeconds)" }
        return Response(
            status: .init(code: status), headers: headers, body: .init(byteBuffer: ByteBuffer(bytes: writer.bytes)))
    }
}

extension HTTPField.Name {
    /// The error code.
    static let amazonErrorType = HTTPField.Name("x-amzn-ErrorType")!
    /// The id of a response, by which people find the request in logs.
    static let amazonRequestID = HTTPField.Name("x-amzn-RequestId")!
    /// The time of signing.
    package static let amazonDate = HTTPField.Name("X-Amz-Date")!
    /// The session token of temporary credentials.
    package static let amazonSecurityToken = HTTPField.Name("X-Amz-Security-Token")!
    /// The operation, and the json-1.1 service that it belongs to.
    static let amazonTarget = HTTPField.Name("X-Amz-Target")!
}
