/// Reads the structures of a Bluetooth advertisement one by one: a length, a type and the data.
///
/// Source: Bluetooth Core Specification 5.4, Volume 3, Part C, Section 11.
package struct AdvertisementReader {
    private let bytes: ArraySlice<UInt8>
    private var next: Int

    /// One structure: its type, by the list of assigned numbers, and its data.
    package struct Structure: Hashable, Sendable {
        /// The type: 0xFF for a manufacturer's data, 0x16 for data of a service with a UUID of 16 bits.
        package var type: UInt8
        /// What follows the type.
        package var data: ArraySlice<UInt8>
    }

    /// The longest advertisement, in bytes: extended ones have up to 1,650.
    package static let limitBytes = 1_650

    /// Creates a reader of an advertisement's payload.
    ///
    /// - Throws: `AdvertisementError.tooLong`.
    package init(_ payload: [UInt8]) throws(AdvertisementError) {
        guard payload.count <= Self.limitBytes else { throw .tooLong(limitBytes: Self.limitBytes) }
        bytes = payload[...]
        next = 0
    }

    /// Returns the next structure; nil at the end. A length of 0 ends the advertisement early: what follows it means
    /// nothing.
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

/// Why an advertisement cannot be read.
package enum AdvertisementError: Error, Hashable, Sendable {
    /// The structure at this byte claims to be longer than the rest of the advertisement.
    case truncated(offset: Int)
    /// The advertisement has more bytes than any has.
    case tooLong(limitBytes: Int)
}
