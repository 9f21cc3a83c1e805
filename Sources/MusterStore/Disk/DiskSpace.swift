#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// How much room a file system has.
package struct DiskSpace: Hashable, Sendable {
    /// Bytes that this process may still take.
    package let freeBytes: Int64
    /// Bytes that the file system has altogether.
    package let totalBytes: Int64

    package init(freeBytes: Int64, totalBytes: Int64) {
        self.freeBytes = freeBytes
        self.totalBytes = totalBytes
    }

    /// The room of the file system that holds a path; nil where the system does not tell.
    package init?(ofFileSystemAt path: String) {
        var answer = statvfs()
        guard statvfs(path, &answer) == 0 else { return nil }
        let unit = Int64(clamping: answer.f_frsize)
        freeBytes = Int64(clamping: answer.f_bavail).multipliedReportingOverflow(by: unit).partialValue
        totalBytes = Int64(clamping: answer.f_blocks).multipliedReportingOverflow(by: unit).partialValue
    }

    /// Whether there is little left: less than `warningBytes`, and less than a twentieth of the file system, so that a
    /// small one is not low from its first day.
    package func isLow(warningBytes: Int64) -> Bool { freeBytes < min(warningBytes, totalBytes / 20) }
}
