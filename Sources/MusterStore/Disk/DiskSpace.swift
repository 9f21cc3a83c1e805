#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The free and the total space of a file system.
package struct DiskSpace: Hashable, Sendable {
    /// The bytes that this process may still use.
    package let freeBytes: Int64
    /// The size of the file system in bytes.
    package let totalBytes: Int64

    package init(freeBytes: Int64, totalBytes: Int64) {
        self.freeBytes = freeBytes
        self.totalBytes = totalBytes
    }

    /// Reads the space of the file system that holds a path; nil if the operating system does not report it.
    package init?(ofFileSystemAt path: String) {
        var answer = statvfs()
        guard statvfs(path, &answer) == 0 else { return nil }
        let unit = Int64(clamping: answer.f_frsize)
        freeBytes = Int64(clamping: answer.f_bavail).multipliedReportingOverflow(by: unit).partialValue
        totalBytes = Int64(clamping: answer.f_blocks).multipliedReportingOverflow(by: unit).partialValue
    }

    /// Whether little space is left: less than `warningBytes`, and less than a twentieth of the file system, so that a
    /// small file system is not always low.
    package func isLow(warningBytes: Int64) -> Bool { freeBytes < min(warningBytes, totalBytes / 20) }
}
