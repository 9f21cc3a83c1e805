/// A fault in a row of a CSV text.
package struct CSVError: Error, Hashable, Sendable {
    /// The line on which the row begins, from 1.
    package var line: Int
    /// The index of the cell, from 0.
    package var cell: Int
    /// The fault.
    package var reason: Reason

    /// The faults that a row can have.
    package enum Reason: Hashable, Sendable {
        case unclosedQuote(limitBytes: Int)
        case textAfterQuote
        case quoteInText
        case controlCharacter
        case notUTF8
        case tooLong(limitBytes: Int)
    }
}

extension CSVError.Reason: CustomStringConvertible {
    /// A phrase without a subject and without a full stop, as after the name of the column.
    package var description: String {
        switch self {
        case .unclosedQuote(let limit): "has a quotation mark that is not closed within \(limit) bytes"
        case .textAfterQuote: "has text after the closing quotation mark; a quotation mark in a text is doubled"
        case .quoteInText: "has a quotation mark within a text: put the whole cell in quotation marks, and double it"
        case .controlCharacter: "has a control character"
        case .notUTF8: "is not UTF-8: save the table as \"CSV UTF-8\""
        case .tooLong(let limit): "makes the row longer than \(limit) bytes"
        }
    }
}
