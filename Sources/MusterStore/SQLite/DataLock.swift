import Synchronization

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Holds a data folder for one writing process: an advisory lock on a file beside the database. The kernel lets go of
/// it when the process ends, however it ends.
final class DataLock: Sendable {
    /// -1 once it was let go of.
    private let descriptor: Mutex<Int32>

    /// Takes the lock of a folder.
    ///
    /// - Throws: `StoreError.inUse` when someone has it; `StoreError.unavailable` when the file cannot be made.
    init(in directory: String) throws {
        let path = directory + "/lock"
        let descriptor = open(path, O_CREAT | O_RDWR | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw StoreError.unavailable(reason: "\(path): \(String(cString: strerror(errno)))")
        }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            let isHeld = errno == EWOULDBLOCK
            let reason = String(cString: strerror(errno))
            _ = Self.closeFile(descriptor)
            throw isHeld ? StoreError.inUse(path: directory) : StoreError.unavailable(reason: "\(path): \(reason)")
        }
        self.descriptor = Mutex(descriptor)
    }

    deinit { release() }

    /// Lets go of it before the end of the process.
    func release() {
        descriptor.withLock { descriptor in
            if descriptor >= 0 { _ = Self.closeFile(descriptor) }
            descriptor = -1
        }
    }

    private static func closeFile(_ descriptor: Int32) -> Int32 { close(descriptor) }
}

/// What the store asks of the file system beyond SQLite.
package enum DataFile {
    /// Makes an empty file that only its owner may read; SQLite gives its companions the same mode.
    ///
    /// - Parameter exclusively: fails when there is one already.
    /// - Returns: 0, or what `errno` says.
    static func create(_ path: String, exclusively: Bool) -> Int32 {
        let descriptor = open(path, O_CREAT | O_RDWR | O_CLOEXEC | (exclusively ? O_EXCL : 0), 0o600)
        guard descriptor >= 0 else { return errno }
        close(descriptor)
        return 0
    }

    /// Brings a file or a folder's entries to the disk.
    ///
    /// - Returns: 0, or what `errno` says.
    static func synchronise(_ path: String) -> Int32 {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return errno }
        defer { close(descriptor) }
        return fsync(descriptor) == 0 ? 0 : errno
    }

    /// How many bytes a file has; 0 where there is none.
    static func size(of path: String) throws -> Int64 {
        var status = stat()
        guard stat(path, &status) == 0 else {
            guard errno == ENOENT else { throw StoreError.unavailable(reason: "\(path): \(describe(errno))") }
            return 0
        }
        return Int64(status.st_size)
    }

    /// An `errno` in words.
    static func describe(_ code: Int32) -> String { String(cString: strerror(code)) }
}
