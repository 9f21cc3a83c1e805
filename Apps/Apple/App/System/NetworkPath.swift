import Foundation
import MusterApp
import Network

/// Whether there is a network, by the system's path monitor.
struct NetworkPath: ConnectivitySource {
    /// Whether there is a network now, and then each change, while somebody reads it.
    func changes() -> AsyncStream<Bool> {
        AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
            let task = Task {
                for await path in NWPathMonitor() { continuation.yield(path.status == .satisfied) }
                continuation.finish()
            }
            continuation.onTermination = { _ in task.cancel() }
        }
    }
}
