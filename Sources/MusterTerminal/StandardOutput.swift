package import Foundation
import Synchronization

/// Standard output of a command. The commands of a pipeline expect that a process ends once nobody reads its output.
package enum StandardOutput {
    /// What must be done before the process ends because standard output cannot be written.
    private static let cleanUps = Mutex<[@Sendable () -> Void]>([])

    /// Opens the null device in place of each standard stream that is closed. The kernel would otherwise give the
    /// stream's number to the next file or socket, and the output of the command would end up there. The device is
    /// opened such that writing to it fails like writing to the closed stream.
    package static func occupyClosedStreams() {
        for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) == -1 {
            _ = open("/dev/null", O_RDONLY)
        }
    }

    /// Runs `body` before the process ends because standard output cannot be written.
    package static func whenUnwritable(_ body: @escaping @Sendable () -> Void) { cleanUps.withLock { $0.append(body) } }

    /// Writes all of `data`. If that fails, the process ends: silently, like any program of a pipeline, when nobody
    /// reads the pipe, and otherwise with the reason and status 1.
    package static func write(_ data: Data) {
        do {
            try writeOrThrow(data)
        } catch {
            for cleanUp in cleanUps.withLock({ $0 }) { cleanUp() }
            if error.isClosedPipe {
                signal(SIGPIPE, SIG_DFL)
                raise(SIGPIPE)
            } else {
                remark("Error: \(error)")
            }
            exit(1)
        }
    }

    /// Writes all of `data`, for a process that goes on without its output.
    package static func writeOrThrow(_ data: Data) throws(UnwritableOutput) { try writeAll(data, to: STDOUT_FILENO) }
}

/// The operating system did not write to a standard stream.
package struct UnwritableOutput: Error, CustomStringConvertible {
    /// The `errno` of the failure.
    let code: Int32

    /// Whether nobody reads the pipe any more.
    var isClosedPipe: Bool { code == EPIPE }

    package var description: String { "standard output cannot be written: \(String(cString: strerror(code)))" }
}

/// Writes all of `data` to a descriptor, and waits while a pipe is full.
func writeAll(_ data: Data, to descriptor: Int32) throws(UnwritableOutput) {
    var rest = data[...]
    while !rest.isEmpty {
        let written = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
        if written >= 0 {
            rest = rest.dropFirst(written)
            continue
        }
        switch errno {
        case EINTR: continue
        case EAGAIN:
            // Another process that shares the stream has made it non-blocking.
            var wait = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
            poll(&wait, 1, -1)
        default: throw UnwritableOutput(code: errno)
        }
    }
}
