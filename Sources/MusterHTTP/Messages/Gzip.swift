import CZlib
package import NIOCore

// `Gzip`: inflates request bodies up to a limit, so that a small body cannot fill the memory (a zip bomb).

/// The reason why bytes could not be inflated.
package enum InflateError: Error, Hashable, Sendable {
    /// The result would exceed the limit.
    case tooLarge
    /// The bytes are neither gzip nor zlib, or are truncated.
    case damaged
}

/// gzip (RFC 1952) and zlib (RFC 1950), by the operating system's zlib.
package enum Gzip {
    private static let chunkBytes = 64 << 10

    /// Inflates a whole gzip or zlib stream, and detects which it is.
    ///
    /// - Parameter limitBytes: the largest result, in bytes. A decompression bomb is stopped there.
    package static func inflate(_ packed: ByteBuffer, limitBytes: Int) throws(InflateError) -> ByteBuffer {
        var stream = z_stream()
        let windowBits: Int32 = 15 + 32
        guard inflateInit2_(&stream, windowBits, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK else {
            throw .damaged
        }
        defer { inflateEnd(&stream) }
        var result = ByteBuffer()
        let outcome = packed.withUnsafeReadableBytes { bytes -> Result<Void, InflateError> in
            // zlib does not write through `next_in`, although its type is mutable.
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

    /// How much zlib computes for a smaller result.
    package enum Effort: Int32 {
        /// For what is sent once: about 10 ms for a megabyte of JSON.
        case least = 1
        /// For what is sent often: about five times as long, a tenth smaller.
        case most = 9
    }

    /// Compresses bytes as gzip; nil when they do not get smaller.
    package static func pack(_ bytes: ByteBuffer, effort: Effort = .most) -> ByteBuffer? {
        var stream = z_stream()
        let size = Int32(MemoryLayout<z_stream>.size)
        guard
            deflateInit2_(&stream, effort.rawValue, Z_DEFLATED, 15 + 16, 9, Z_DEFAULT_STRATEGY, ZLIB_VERSION, size)
                == Z_OK
        else {
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
