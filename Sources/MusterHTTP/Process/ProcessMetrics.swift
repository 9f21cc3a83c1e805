import Foundation

/// The operating system's figures about this process, read from `/proc`, under the names that Prometheus's own clients
/// use. Systems without `/proc` have fewer of them.
package enum ProcessMetrics {
    private static let startedAt = Date().timeIntervalSince1970

    /// Records when the process started. Call it once, early.
    package static func begin() { _ = startedAt }

    package static func families() -> [MetricFamily] {
        var families = [
            MetricFamily("process_start_time_seconds", .gauge, "When the server started, Unix time.", startedAt),
            MetricFamily(
                "process_max_fds", .gauge, "Files and connections that may be open at once.", Double(OpenFiles.limit)),
        ]
        if let open = try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count {
            families.append(
                .init("process_open_fds", .gauge, "Files and connections that are open.", Double(open)))
        }
        if let limit = ControlGroup.memoryLimitBytes() {
            families.append(
                .init("muster_memory_limit_bytes", .gauge, "Memory that the control group may use.", Double(limit)))
        }
        let fields = statFields()
        if fields.count > 21 {
            let ticks = Double(sysconf(Int32(_SC_CLK_TCK)))
            families += [
                .init(
                    "process_cpu_seconds_total", .counter, "Processor time taken, in seconds.",
                    (fields[11] + fields[12]) / ticks),
                .init("process_threads", .gauge, "Threads of the process.", fields[17]),
                .init("process_virtual_memory_bytes", .gauge, "Address space in use.", fields[20]),
                .init(
                    "process_resident_memory_bytes", .gauge, "Memory in use.",
                    fields[21] * Double(sysconf(Int32(_SC_PAGESIZE)))),
            ]
        }
        return families
    }

    /// The fields of `/proc/self/stat` after the program's name, from `state` on (field 3 in proc(5)).
    private static func statFields() -> [Double] {
        guard let text = try? String(contentsOfFile: "/proc/self/stat", encoding: .utf8),
            let end = text.lastIndex(of: ")")
        else { return [] }
        return text[text.index(after: end)...].split(separator: " ").map { Double($0) ?? 0 }
    }
}
