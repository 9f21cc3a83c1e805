import Foundation
package import GRDB

/// Bytes as a blob argument, and as a blob's value.
package struct Blob: DatabaseValueConvertible {
    /// The bytes.
    package let bytes: [UInt8]

    /// Bytes.
    package init(_ bytes: [UInt8]) { self.bytes = bytes }

    package var databaseValue: DatabaseValue { Data(bytes).databaseValue }

    package static func fromDatabaseValue(_ value: DatabaseValue) -> Blob? {
        Data.fromDatabaseValue(value).map { Blob([UInt8]($0)) }
    }
}
