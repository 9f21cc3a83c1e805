import Foundation
import NIOCore

/// A file that is read in pieces, by any number of threads at the same time.
final class RandomAccessFile: Sendable {
    let path: String
    /// The length when the file was opened.
    let byteCount: UInt64
    private let descriptor: CInt
    private let state: State

    /// What shows that a file was written to.
    private struct State: Equatable, Sendable {
        let size: Int64
        let seconds: Int
        let nanoseconds: Int

        init(_ status: stat) {
            size = Int64(status.st_size)
            #if canImport(Darwin)
                let time = status.st_mtimespec
            #else
                let time = status.st_mtim
            #endif
            (seconds, nanoseconds) = (time.tv_sec, time.tv_nsec)
        }
    }

    /// - Throws: `.unreadable` when the file cannot be opened, or is no regular file.
    init(path: String) throws(TileFileError) {
        // A named pipe would keep the open waiting for its writer.
        descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw TileFileError(path, .unreadable(cause: String(cString: strerror(errno)))) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            close(descriptor)
            throw TileFileError(path, .unreadable(cause: "it is no regular file"))
        }
        self.path = path
        state = State(status)
        byteCount = UInt64(status.st_size)
    }

    deinit { close(descriptor) }

    /// - Throws: `.changed` when the file is another than when it was opened.
    func requireUnchanged() throws(TileFileError) {
        var status = stat()
        guard fstat(descriptor, &status) == 0, State(status) == state else { throw TileFileError(path, .changed) }
    }

    /// Reads a piece, which must lie within the file as it was opened.
    ///
    /// - Throws: `.unreadable`; `.changed` when the file is another than when it was opened.
    func read(at offset: UInt64, count: Int) throws(TileFileError) -> ByteBuffer {
        precondition(offset <= byteCount && UInt64(count) <= byteCount - offset)
        try requireUnchanged()
        var bytes = ByteBufferAllocator().buffer(capacity: count)
        var failure: String?
        while bytes.writerIndex < count, failure == nil {
            let place = off_t(offset) + off_t(bytes.writerIndex)
            let rest = count - bytes.writerIndex
            bytes.writeWithUnsafeMutableBytes(minimumWritableBytes: rest) { space in
                let read = pread(descriptor, space.baseAddress, rest, place)
                if read == 0 { failure = "it ended" }
                if read < 0, errno != EINTR { failure = String(cString: strerror(errno)) }
                return max(0, read)
            }
        }
        if let failure { throw TileFileError(path, at: offset, .unreadable(cause: failure)) }
        return bytes
    }
}
