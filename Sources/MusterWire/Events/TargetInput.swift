package import MusterCore

/// The input of a target, parsed: EventBridge's `Input`, `InputPath` and `InputTransformer`.
package struct TargetInput: Sendable {
    private let form: Form

    private enum Form {
        case event
        case constant([UInt8])
        case path(EventPath)
        case template(InputTemplate)
    }

    /// Parses an input.
    ///
    /// - Throws: `InputError` for its fault.
    package init(_ input: RuleTarget.Input) throws(InputError) {
        switch input {
        case .event: form = .event
        case .constant(let text):
            guard text.utf8.count <= InputTemplate.lengthLimit else { throw .tooLong(limit: InputTemplate.lengthLimit) }
            guard (try? JSONValue(parsing: Array(text.utf8))) != nil else { throw .constantIsNoJSON }
            form = .constant(Array(text.utf8))
        case .path(let text):
            guard let path = EventPath(text) else { throw .noPath(text) }
            form = .path(path)
        case .template(let text, let paths): form = .template(try InputTemplate(text, paths: paths))
        }
    }

    /// Returns the body that the target receives for an event: null when its path finds nothing.
    package func body(of event: Event, envelope: EventValue, rule: RuleReference) -> Body {
        switch form {
        case .event: Body(bytes: envelope.json, isJSON: true)
        case .constant(let bytes): Body(bytes: bytes, isJSON: true)
        case .path(let path): Body(bytes: (path.value(in: envelope) ?? .null).json, isJSON: true)
        case .template(let template): template.body(of: event, envelope: envelope, rule: rule)
        }
    }

    /// The body that a target receives.
    package struct Body: Hashable, Sendable {
        package var bytes: [UInt8]
        /// Whether the body is JSON, and not plain text.
        package var isJSON: Bool

        package init(bytes: [UInt8], isJSON: Bool) {
            self.bytes = bytes
            self.isJSON = isJSON
        }
    }
}

/// The rule that sends an event, and the time of receipt, for templates that use them.
package struct RuleReference: Hashable, Sendable {
    /// The rule's name.
    package var name: String
    /// The rule's ARN.
    package var arn: String
    /// The time at which Muster received the event.
    package var receivedTime: Instant

    package init(name: String, arn: String, receivedTime: Instant) {
        self.name = name
        self.arn = arn
        self.receivedTime = receivedTime
    }
}

/// A fault in an input.
package enum InputError: Error, Hashable, Sendable {
    case constantIsNoJSON
    case noPath(String)
    case unknownVariable(String)
    case reservedVariable(String)
    case noVariable(String)
    case tooManyVariables(limit: Int)
    case tooLong(limit: Int)
    case templateIsNoJSON
}

extension InputError: CustomStringConvertible {
    /// A sentence without a full stop.
    package var description: String {
        switch self {
        case .constantIsNoJSON: "the constant input is not JSON"
        case .noPath(let path): "\"\(path)\" is not a supported path; use one such as $.detail.DeviceId"
        case .unknownVariable(let name): "the template uses <\(name)>, but no path defines it"
        case .reservedVariable(let name): "the name \(name) is reserved: choose one that does not begin with aws."
        case .noVariable(let name): "\"\(name)\" is not a variable's name: use letters, digits, - and _"
        case .tooManyVariables(let limit): "there are more than \(limit) paths"
        case .tooLong(let limit): "it is longer than \(limit) bytes"
        case .templateIsNoJSON: "the template begins as JSON but is not JSON once its variables are filled in"
        }
    }
}
