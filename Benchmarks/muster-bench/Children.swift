@preconcurrency import Dispatch
import Foundation
import Synchronization

/// The child processes of this program. They are terminated when it receives SIGINT, SIGTERM or SIGHUP.
enum Children {
    private static let identifiers = Mutex<Set<Int32>>([])

    /// The seconds that a child process gets between SIGTERM and SIGKILL.
    private static let timeoutSeconds = 20.0

    /// Starts a child process. `stop` ends it.
    static func run(_ process: Process) throws {
        _ = signals
        // A child process inherits the signal mask of the thread that starts it, and the threads of a pool block every
        // signal. mosquitto would never receive SIGTERM.
        var (none, former) = (sigset_t(), sigset_t())
        sigemptyset(&none)
        pthread_sigmask(SIG_SETMASK, &none, &former)
        defer { pthread_sigmask(SIG_SETMASK, &former, nil) }
        try process.run()
        identifiers.withLock { _ = $0.insert(process.processIdentifier) }
    }

    /// Terminates a child process, and waits until it has ended. It is killed if it does not end in time.
    static func stop(_ process: Process) {
        let identifier = process.processIdentifier
        process.terminate()
        let killing = DispatchWorkItem { kill(identifier, SIGKILL) }
        DispatchQueue.global().asyncAfter(deadline: .now() + timeoutSeconds, execute: killing)
        process.waitUntilExit()
        killing.cancel()
        identifiers.withLock { _ = $0.remove(process.processIdentifier) }
    }

    /// The signal handlers, made at the first `run`. They are kept, because a released source handles no signal.
    private static let signals = [SIGINT, SIGTERM, SIGHUP].map { number in
        signal(number, SIG_IGN)
        let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
        source.setEventHandler {
            identifiers.withLock { for identifier in $0 { kill(identifier, SIGTERM) } }
            exit(128 + number)
        }
        source.activate()
        return source
    }
}
