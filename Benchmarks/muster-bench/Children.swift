@preconcurrency import Dispatch
import Foundation
import Synchronization

/// The programs that this one has started and not stopped. They end with it, also when it is interrupted or terminated.
enum Children {
    private static let identifiers = Mutex<Set<Int32>>([])

    /// How long a program may take to end once it was asked to, seconds.
    private static let patienceSeconds = 20.0

    /// Runs a program, which `stop` ends.
    static func run(_ process: Process) throws {
        _ = signals
        // A program inherits what the thread that starts it blocks, and a thread of a pool blocks every signal:
        // mosquitto then never hears that it is to end.
        var (none, former) = (sigset_t(), sigset_t())
        sigemptyset(&none)
        pthread_sigmask(SIG_SETMASK, &none, &former)
        defer { pthread_sigmask(SIG_SETMASK, &former, nil) }
        try process.run()
        identifiers.withLock { _ = $0.insert(process.processIdentifier) }
    }

    /// Ends a program, and waits until it has ended; one that does not end when asked to is killed.
    static func stop(_ process: Process) {
        let identifier = process.processIdentifier
        process.terminate()
        let killing = DispatchWorkItem { kill(identifier, SIGKILL) }
        DispatchQueue.global().asyncAfter(deadline: .now() + patienceSeconds, execute: killing)
        process.waitUntilExit()
        killing.cancel()
        identifiers.withLock { _ = $0.remove(process.processIdentifier) }
    }

    /// Made at the first `run`, and kept: a source that is released handles no signal.
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
