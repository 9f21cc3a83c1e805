import CZlib

/// A small zip archive, without compression.
///
/// Source: PKWARE, APPNOTE.TXT 6.3.
package struct ZipArchive {
    private var entries: [(name: [UInt8], bytes: [UInt8], checksum: UInt32, offset: Int)] = []
    private var content: [UInt8] = []

    /// Every file has the first moment that the format knows, so that the same files make the same archive.
    private static let date: UInt16 = 0x21
    /// Names are in UTF-8.
    private static let flags: UInt16 = 0x0800

    package init() {}

    /// Adds a file.
    package mutating func add(_ name: String, _ bytes: [UInt8]) {
        let checksum = bytes.withUnsafeBufferPointer {
            UInt32(truncatingIfNeeded: crc32(0, $0.baseAddress, UInt32($0.count)))
        }
        let entry = (name: Array(name.utf8), bytes: bytes, checksum: checksum, offset: content.count)
        entries.append(entry)
        content.add(UInt32(0x0403_4B50))
        addCommon(entry.name, bytes.count, checksum, to: &content)
        content += entry.name + bytes
    }

    /// The archive's bytes.
    package var bytes: [UInt8] {
        var directory: [UInt8] = []
        for entry in entries {
            directory.add(UInt32(0x0201_4B50))
            directory.add(UInt16(20))
            addCommon(entry.name, entry.bytes.count, entry.checksum, to: &directory)
            for _ in 0..<3 { directory.add(UInt16(0)) }
            directory.add(UInt32(0))
            directory.add(UInt32(entry.offset))
            directory += entry.name
        }
        var end: [UInt8] = []
        end.add(UInt32(0x0605_4B50))
        end.add(UInt32(0))
        for _ in 0..<2 { end.add(UInt16(entries.count)) }
        end.add(UInt32(directory.count))
        end.add(UInt32(content.count))
        end.add(UInt16(0))
        return content + directory + end
    }

    /// Adds what the header of a file and its entry in the directory have in common.
    private func addCommon(_ name: [UInt8], _ size: Int, _ checksum: UInt32, to bytes: inout [UInt8]) {
        bytes.add(UInt16(20))
        bytes.add(Self.flags)
        bytes.add(UInt16(0))
        bytes.add(UInt16(0))
        bytes.add(Self.date)
        bytes.add(checksum)
        bytes.add(UInt32(size))
        bytes.add(UInt32(size))
        bytes.add(UInt16(name.count))
        bytes.add(UInt16(0))
    }
}

extension [UInt8] {
    fileprivate mutating func add(_ value: some FixedWidthInteger) {
        Swift.withUnsafeBytes(of: value.littleEndian) { append(contentsOf: $0) }
    }
}
