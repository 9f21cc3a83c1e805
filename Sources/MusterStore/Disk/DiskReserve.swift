import Foundation

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A file beside the database that occupies some disk space. The store deletes it if it cannot open the database on a
/// full disk: SQLite needs some tens of KiB for the index of the write-ahead log before it can read.
package enum DiskReserve {
    /// The name of the file in the data folder.
    static let fileName = "reserve"
    /// The size of the file in bytes.
    static let bytes = 1 << 20
    /// The store makes the reserve only if the disk has this many free bytes.
    static let minimumFreeBytes: Int64 = 8 << 20

    /// Makes the reserve, unless it exists or the disk has too little room. A failure does no harm.
    package static func make(in directory: String) {
        let path = directory + "/" + fileName
        guard let space = DiskSpace(ofFileSystemAt: directory), space.freeBytes >= minimumFreeBytes else { return }
        guard DataFile.create(path, exclusively: true) == 0 else { return }
        let descriptor = open(path, O_WRONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        // The file is written in full, because a sparse file would reserve nothing.
        let zeros = [UInt8](repeating: 0, count: bytes)
        let written = zeros.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
        close(descriptor)
        if written < bytes { unlink(path) }
    }

    /// Deletes the reserve, so that the disk has its room.
    ///
    /// - Returns: whether there was a reserve.
    static func release(in directory: String) -> Bool { unlink(directory + "/" + fileName) == 0 }
}
