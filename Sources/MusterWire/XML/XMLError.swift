/// A fault in an XML text, and its line.
package struct XMLError: Error, Hashable, Sendable {
    /// The line of the file where the fault is, from 1.
    package var line: Int
    /// The fault.
    package var reason: Reason

    /// The faults that an XML text can have.
    package enum Reason: Hashable, Sendable {
        case unexpectedEnd
        case unexpectedByte(UInt8)
        case invalidCharacter
        case invalidText(encoding: String)
        case unknownEncoding(String)
        case unknownEntity(String)
        case documentType
        case mismatchedTag(expected: String, found: String)
        case duplicateAttribute(String)
        case tooDeep(limit: Int)
        case tooManyAttributes(limit: Int)
        case noElement
        case trailingContent
    }
}

extension XMLError.Reason: CustomStringConvertible {
    /// One sentence without a full stop.
    package var description: String {
        switch self {
        case .unexpectedEnd: "the text ends too early"
        case .unexpectedByte(let byte): "unexpected byte \(byte)"
        case .invalidCharacter: "a character that XML does not allow"
        case .invalidText(let encoding): "the text is not valid \(encoding)"
        case .unknownEncoding(let name): "the encoding \(name) is not known here; use UTF-8"
        case .unknownEntity(let name): "there is no entity &\(name);"
        case .documentType: "a document type is refused"
        case .mismatchedTag(let expected, let found): "expected </\(expected)>, found </\(found)>"
        case .duplicateAttribute(let name): "the attribute \(name) appears twice"
        case .tooDeep(let limit): "nested deeper than \(limit) elements"
        case .tooManyAttributes(let limit): "more than \(limit) attributes"
        case .noElement: "there is no element"
        case .trailingContent: "something follows the root element"
        }
    }
}
