import Foundation

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A file beside the database that takes some room for as long as there is enough, and gives it back when a store must
/// be opened on a full disk: SQLite needs some tens of KiB for its index of the write-ahead log before it can read.
package enum DiskReserve {
    /// The file's name in the data folder.
    static let fileName = "reserve"
    /// How much the file takes.
    static let bytes = 1 << 20
    /// The reserve is made only where this much is free.
    static let minimumFreeBytes: Int64 = 8 << 20

    /// Makes the reserve where there is none and the disk has enough room. Failing at it does no harm.
    package static func make(in directory: String) {
        let path = directory + "/" + fileName
        guard let space = DiskSpace(ofFileSystemAt: directory), space.freeBytes >= minimumFreeBytes else { return }
        guard DataFile.create(path, exclusively: true) == 0 else { return }
        let descriptor = open(path, O_WRONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        // Written out: a file with holes would reserve nothing.
        let zeros = [UInt8](repeating: 0, count: bytes)
        let written = zeros.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
        close(descriptor)
        if written < bytes { unlink(path) }
    }

    /// Gives the reserve's room back to the disk.
    ///
    /// - Returns: whether there was a reserve.
    static func release(in directory: String) -> Bool { unlink(directory + "/" + fileName) == 0 }
}
