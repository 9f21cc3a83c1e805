import Synchronization

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Holds a data folder for one writing process: an advisory lock on a file beside the database. The kernel releases the
/// lock when the process ends, however it ends.
package final class DataLock: Sendable {
    /// The open file; −1 after `release`.
    private let descriptor: Mutex<Int32>

    /// Takes the lock of a folder.
    ///
    /// - Throws: `StoreError.inUse` if another process has it; `StoreError.unavailable` if the file cannot be made.
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

    /// Identifies a data folder, also once it was moved: the place of its lock on the disk. A copy of the folder has
    /// another.
    ///
    /// - Returns: nil if no process has ever locked the folder.
    package static func identity(in directory: String) -> Identity? {
        var status = stat()
        guard stat(directory + "/lock", &status) == 0 else { return nil }
        return Identity(device: UInt64(truncatingIfNeeded: status.st_dev), inode: UInt64(status.st_ino))
    }

    /// The place of a lock's file: the number of its file system, and its number there.
    package struct Identity: Hashable, Codable, Sendable {
        let device: UInt64
        let inode: UInt64
    }

    /// Releases the lock before the process ends.
    func release() {
        descriptor.withLock { descriptor in
            if descriptor >= 0 { _ = Self.closeFile(descriptor) }
            descriptor = -1
        }
    }

    private static func closeFile(_ descriptor: Int32) -> Int32 { close(descriptor) }
}

/// File operations of the store beyond SQLite's.
package enum DataFile {
    /// Makes an empty file that only its owner may read. SQLite gives the files beside it the same mode.
    ///
    /// - Parameter exclusively: whether the call fails if the file exists.
    /// - Returns: 0, or the `errno` of the failure.
    static func create(_ path: String, exclusively: Bool) -> Int32 {
        let descriptor = open(path, O_CREAT | O_RDWR | O_CLOEXEC | (exclusively ? O_EXCL : 0), 0o600)
        guard descriptor >= 0 else { return errno }
        close(descriptor)
        return 0
    }

    /// Whether a path names anything, also a symbolic link that leads nowhere.
    static func exists(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0
    }

    /// Gives a file another name that nothing has.
    ///
    /// - Returns: 0, or the `errno` of the failure.
    static func rename(_ path: String, toFree place: String) -> Int32 {
        if exists(place) { return EEXIST }
        #if canImport(Darwin)
            return Darwin.rename(path, place) == 0 ? 0 : errno
        #elseif canImport(Glibc)
            return Glibc.rename(path, place) == 0 ? 0 : errno
        #elseif canImport(Musl)
            return Musl.rename(path, place) == 0 ? 0 : errno
        #endif
    }

    /// Sets the time of a file to now, and makes the file if there is none. Only its owner may read it. A failure does
    /// no harm.
    static func touch(_ path: String) {
        let descriptor = open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { return }
        fchmod(descriptor, 0o600)
        futimes(descriptor, nil)
        close(descriptor)
    }

    /// Says why a path names no file that can be read; nil if it does. Opening a pipe would wait for a writer.
    static func refusalToRead(_ path: String) -> String? {
        var status = stat()
        guard stat(path, &status) == 0 else { return describe(errno) }
        guard status.st_mode & S_IFMT == S_IFREG else {
            return status.st_mode & S_IFMT == S_IFDIR ? "it is a folder" : "it is no regular file"
        }
        return access(path, R_OK) == 0 ? nil : describe(errno)
    }

    /// Flushes a file, or the entries of a folder, to the disk.
    ///
    /// - Returns: 0, or the `errno` of the failure.
    static func synchronise(_ path: String) -> Int32 {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return errno }
        defer { close(descriptor) }
        return fsync(descriptor) == 0 ? 0 : errno
    }

    /// Returns the size of a file in bytes; 0 if there is none.
    ///
    /// - Throws: `StoreError.unavailable`.
    static func size(of path: String) throws -> Int64 {
        var status = stat()
        guard stat(path, &status) == 0 else {
            guard errno == ENOENT else { throw StoreError.unavailable(reason: "\(path): \(describe(errno))") }
            return 0
        }
        return Int64(status.st_size)
    }

    /// The operating system's text for an `errno`.
    static func describe(_ code: Int32) -> String { String(cString: strerror(code)) }
}
