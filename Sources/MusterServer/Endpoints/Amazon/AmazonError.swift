import HTTPTypes
import Hummingbird
import MusterWire
import NIOCore

/// An error as AWS's clients know them: a status, a code that they make an exception of, a message.
package struct AmazonError: Error, Hashable, Sendable {
    /// The HTTP status.
    package var status: Int
    /// Such as `ValidationException`.
    package var code: String
    /// What a person reads.
    package var message: String
    /// For a `ValidationException`: why, in one word of the model.
    package var reason: Reason?
    /// For a `ValidationException`: which fields, and what is wrong with each.
    package var fields: [Field] = []
    /// How long to wait before trying again, where that helps.
    package var retryAfterSeconds: Int?

    /// One field that is at fault.
    package struct Field: Hashable, Sendable {
        /// Its name in the model, `Updates.3.Position`.
        package var name: String
        /// What is wrong with it.
        package var message: String

        /// A field that is at fault.
        package init(_ name: String, _ message: String) {
            self.name = name
            self.message = message
        }
    }

    /// Why a request is not valid.
    package enum Reason: String, Hashable, Sendable {
        case unknownOperation = "UnknownOperation"
        case missing = "Missing"
        case cannotParse = "CannotParse"
        case fieldValidationFailed = "FieldValidationFailed"
        case other = "Other"
        case unknownField = "UnknownField"
    }

    /// An error.
    package init(_ status: Int, _ code: String, _ message: String) {
        self.status = status
        self.code = code
        self.message = message
    }

    /// A request that says what cannot be.
    package static func validation(
        _ message: String, _ reason: Reason = .fieldValidationFailed, _ fields: [Field] = []
    ) -> AmazonError {
        var fault = AmazonError(400, "ValidationException", message)
        fault.reason = reason
        fault.fields = fields
        return fault
    }

    /// One field says what cannot be.
    package static func validation(_ field: String, _ message: String) -> AmazonError {
        .validation("\(field) \(message)", .fieldValidationFailed, [Field(field, message)])
    }

    /// There is no such thing, or it is not for these eyes.
    package static func notFound(_ message: String) -> AmazonError {
        AmazonError(404, "ResourceNotFoundException", message)
    }

    /// It contradicts what there is.
    package static func conflict(_ message: String) -> AmazonError { AmazonError(409, "ConflictException", message) }

    /// There is as much of it as there may be.
    package static func quota(_ message: String) -> AmazonError {
        AmazonError(402, "ServiceQuotaExceededException", message)
    }

    /// It is not this principal's to do.
    package static func denied(_ message: String) -> AmazonError {
        AmazonError(403, "AccessDeniedException", message)
    }

    /// More requests than are taken of one key.
    package static func throttled(retryAfterSeconds: Int) -> AmazonError {
        var fault = AmazonError(429, "ThrottlingException", "Rate exceeded")
        fault.retryAfterSeconds = retryAfterSeconds
        return fault
    }

    /// We made a mistake.
    package static let internalError = AmazonError(
        500, "InternalServerException", "The server made a mistake. It is in the server's log.")

    /// The answer that tells it: the code in a header, where rest-json clients look, and in the body, where json-1.1
    /// clients do.
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
    /// Which error it is.
    static let amazonErrorType = HTTPField.Name("x-amzn-ErrorType")!
    /// Names an answer, for whoever asks about it.
    static let amazonRequestID = HTTPField.Name("x-amzn-RequestId")!
    /// When a request was signed.
    static let amazonDate = HTTPField.Name("X-Amz-Date")!
    /// The token of temporary credentials.
    static let amazonSecurityToken = HTTPField.Name("X-Amz-Security-Token")!
    /// Which operation of which json-1.1 service is meant.
    static let amazonTarget = HTTPField.Name("X-Amz-Target")!
}
