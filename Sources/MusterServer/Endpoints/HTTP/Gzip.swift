import CZlib
package import NIOCore

/// Why bytes could not be inflated.
package enum InflateError: Error, Hashable, Sendable {
    /// They would become more than is allowed.
    case tooLarge
    /// They are not gzip or zlib, or are cut off.
    case damaged
}

/// gzip (RFC 1952) and zlib (RFC 1950), through the system's zlib.
package enum Gzip {
    private static let chunkBytes = 64 << 10

    /// Unpacks a whole gzip or zlib stream, which tell themselves apart.
    ///
    /// - Parameter limitBytes: how much may come out; what a small bomb would become is never made.
    package static func inflate(_ packed: ByteBuffer, limitBytes: Int) throws(InflateError) -> ByteBuffer {
        var stream = z_stream()
        let windowBits: Int32 = 15 + 32
        guard inflateInit2_(&stream, windowBits, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK else {
            throw .damaged
        }
        defer { inflateEnd(&stream) }
        var result = ByteBuffer()
        let outcome = packed.withUnsafeReadableBytes { bytes -> Result<Void, InflateError> in
            // zlib does not write through `next_in`; its type only fails to say so.
            stream.next_in = UnsafeMutablePointer(mutating: bytes.bindMemory(to: UInt8.self).baseAddress)
            stream.avail_in = UInt32(bytes.count)
            return Result { () throws(InflateError) in
                try inflate(&stream, into: &result, limitBytes: limitBytes)
            }
        }
        try outcome.get()
        return result
    }

    private static func inflate(
        _ stream: inout z_stream, into result: inout ByteBuffer, limitBytes: Int
    ) throws(InflateError) {
        while true {
            var status = Z_OK
            result.writeWithUnsafeMutableBytes(minimumWritableBytes: chunkBytes) { space in
                stream.next_out = space.bindMemory(to: UInt8.self).baseAddress
                stream.avail_out = UInt32(min(space.count, chunkBytes))
                let offered = stream.avail_out
                status = CZlib.inflate(&stream, Z_NO_FLUSH)
                return Int(offered - stream.avail_out)
            }
            guard result.readableBytes <= limitBytes else { throw .tooLarge }
            if status == Z_STREAM_END {
                guard stream.avail_in == 0 else { throw .damaged }
                return
            }
            guard status == Z_OK, stream.avail_out == 0 || stream.avail_in > 0 else { throw .damaged }
        }
    }

    /// Packs bytes as gzip, as small as zlib can; nil when they do not get smaller.
    package static func pack(_ bytes: ByteBuffer) -> ByteBuffer? {
        var stream = z_stream()
        let size = Int32(MemoryLayout<z_stream>.size)
        guard deflateInit2_(&stream, 9, Z_DEFLATED, 15 + 16, 9, Z_DEFAULT_STRATEGY, ZLIB_VERSION, size) == Z_OK else {
            return nil
        }
        defer { deflateEnd(&stream) }
        var result = ByteBuffer()
        var status = Z_OK
        bytes.withUnsafeReadableBytes { input in
            stream.next_in = UnsafeMutablePointer(mutating: input.bindMemory(to: UInt8.self).baseAddress)
            stream.avail_in = UInt32(input.count)
            let room = Int(deflateBound(&stream, UInt(input.count)))
            result.writeWithUnsafeMutableBytes(minimumWritableBytes: room) { space in
                stream.next_out = space.bindMemory(to: UInt8.self).baseAddress
                stream.avail_out = UInt32(room)
                status = deflate(&stream, Z_FINISH)
                return room - Int(stream.avail_out)
            }
        }
        return status == Z_STREAM_END && result.readableBytes < bytes.readableBytes ? result : nil
    }
}
