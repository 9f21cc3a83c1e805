import MusterMutex
import NIOCore

/// Channels over streams that a rendezvous carries.
extension Nearby {
    /// Runs a rendezvous until the task is cancelled, and then says goodbye before the streams end with it.
    func run(
        _ rendezvous: any Rendezvous, announcing own: Announcement, tell: @escaping @Sendable (DiscoveryNews) -> Void
    ) async throws {
        let running = Task {
            try await rendezvous.run(announcing: own, tell: tell, accept: { stream in self.serve(stream) })
        }
        try await withTaskCancellationHandler {
            try await running.value
        } onCancel: {
            Task {
                await endAll()
                running.cancel()
            }
        }
    }

    /// Opens a channel to a peer through a rendezvous, and returns the attempt once it has ended.
    func dial(_ id: String, through rendezvous: any Rendezvous) async -> ChannelAttempt {
        let attempt = ChannelAttempt(on: loop)
        do {
            let stream = try await rendezvous.open(id)
            let channel = try await begin(stream, isServer: false, attempt)
            try await withTaskCancellationHandler {
                try await channel.closeFuture.get()
            } onCancel: {
                // The channel is open, so it continues although the discovery has lost the peer.
                if attempt.state.withLock({ $0.channel }) == nil { channel.close(promise: nil) }
            }
        } catch {
            attempt.state.withLock { $0.end = .unreachable("\(error)") }
        }
        return attempt
    }

    /// Accepts a stream that another device opened, unless that device opens too many.
    func serve(_ stream: any PeerStream) {
        guard let entry = gate.enter(from: stream.origin, at: clock.now()) else { return stream.close() }
        let attempt = ChannelAttempt(entry, on: loop)
        Task {
            do {
                let channel = try await begin(stream, isServer: true, attempt)
                channel.closeFuture.whenComplete { _ in entry.leave() }
            } catch {
                entry.leave()
            }
        }
    }

    /// Adds the handlers of a channel over a stream, and starts it.
    private func begin(
        _ stream: any PeerStream, isServer: Bool, _ attempt: ChannelAttempt
    ) async throws -> StreamChannel {
        let channel = StreamChannel(stream, on: loop.eventLoop)
        do {
            let tls = try store.identity.tlsContext(isServer: isServer)
            try await channel.eventLoop.submit {
                try self.configure(channel, isServer: isServer, tls: tls, attempt)
                channel.start()
            }.get()
        } catch {
            channel.close(promise: nil)
            throw error
        }
        return channel
    }
}
