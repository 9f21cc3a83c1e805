/// Reads the structures of a Bluetooth advertisement one by one: a length, a type and the data.
///
/// Source: Bluetooth Core Specification 5.4, Volume 3, Part C, Section 11.
package struct AdvertisementReader {
    private let bytes: ArraySlice<UInt8>
    private var next: Int

    /// One structure of an advertisement. Bluetooth's assigned numbers define the types.
    package struct Structure: Hashable, Sendable {
        /// The type: 0xFF for a manufacturer's data, 0x16 for the data of a service with a 16-bit UUID.
        package var type: UInt8
        /// The bytes after the type.
        package var data: ArraySlice<UInt8>
    }

    /// The largest payload in bytes. Extended advertisements have up to 1,650.
    package static let limitBytes = 1_650

    /// Creates a reader of an advertisement's payload.
    ///
    /// - Throws: `AdvertisementError.tooLong` when the payload exceeds `limitBytes`.
    package init(_ payload: [UInt8]) throws(AdvertisementError) {
        guard payload.count <= Self.limitBytes else { throw .tooLong(limitBytes: Self.limitBytes) }
        bytes = payload[...]
        next = 0
    }

    /// Returns the next structure; nil at the end. A length of 0 ends the advertisement early, and the bytes after it
    /// are ignored.
    ///
    /// - Throws: `AdvertisementError.truncated` when a structure claims more bytes than there are.
    package mutating func nextStructure() throws(AdvertisementError) -> Structure? {
        guard next < bytes.endIndex else { return nil }
        let length = Int(bytes[next])
        guard length > 0 else {
            next = bytes.endIndex
            return nil
        }
        let end = next + 1 + length
        guard end <= bytes.endIndex else { throw .truncated(offset: next) }
        defer { next = end }
        return Structure(type: bytes[next + 1], data: bytes[(next + 2)..<end])
    }
}

/// The reason why an advertisement cannot be read.
package enum AdvertisementError: Error, Hashable, Sendable {
    /// The structure at this byte claims to be longer than the rest of the advertisement.
    case truncated(offset: Int)
    /// The payload is larger than any advertisement can be.
    case tooLong(limitBytes: Int)
}
