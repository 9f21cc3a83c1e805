import Foundation

/// The memory that Linux lets this process's control group use (cgroup v2, the kernel's `cgroup-v2.rst`). Containers
/// and systemd's `MemoryMax` set this limit. The kernel kills a process that exceeds it; no call of the process fails
/// before.
package enum ControlGroup {
    /// Below this limit, in bytes, the server works, but the kernel may kill it in a busy minute.
    package static let warningBytes: Int64 = 256 << 20

    /// The smallest limit of the process's group and the groups above it, in bytes; nil if there is none, and on
    /// systems without control groups.
    ///
    /// - Parameters:
    ///   - membership: the text of `/proc/self/cgroup`.
    ///   - read: returns the text of a file, or nil if it cannot be read.
    package static func memoryLimitBytes(
        membership: String? = text("/proc/self/cgroup"), read: (String) -> String? = text
    ) -> Int64? {
        let prefix = "0::"
        guard let line = membership?.split(separator: "\n").first(where: { $0.hasPrefix(prefix) }) else { return nil }
        var groups = line.dropFirst(prefix.count).split(separator: "/")
        var least: Int64?
        while true {
            let path = "/sys/fs/cgroup/" + groups.map { $0 + "/" }.joined() + "memory.max"
            // A group without a limit says "max".
            if let limit = read(path).flatMap({ Int64($0.trimmingCharacters(in: .whitespacesAndNewlines)) }) {
                least = min(least ?? limit, limit)
            }
            guard groups.popLast() != nil else { return least }
        }
    }

    private static func text(_ path: String) -> String? { try? String(contentsOfFile: path, encoding: .utf8) }
}
