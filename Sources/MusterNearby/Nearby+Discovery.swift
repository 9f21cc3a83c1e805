import MusterCore
import Synchronization

extension Nearby {
    /// Follows a discovery: keeps a channel open to each peer that it finds. Once it tells that a peer is gone, a
    /// channel that is open stays so, and no other one is opened.
    func follow(_ discovery: any Discovery, announcing own: Announcement) async {
        let diallers = Diallers()
        do {
            try await discovery.run(announcing: own) { news in self.take(news, own, diallers) }
        } catch {
            if !Task.isCancelled {
                queue.append(.discoveryFailed("\(error)"))
                await Task.untilCancelled()
            }
        }
        // They end with their channels.
        for task in diallers.state.withLock({ $0.values.map(\.task) }) { task.cancel() }
    }

    /// The tasks that keep channels open, by the id of what was found.
    private final class Diallers: Sendable {
        let state = Mutex<[String: (peer: FoundPeer, task: Task<Void, Never>)]>([:])
    }

    private func take(_ news: DiscoveryNews, _ own: Announcement, _ diallers: Diallers) {
        diallers.state.withLock { diallers in
            switch news {
            case .found(let peer):
                guard peer.key != own.key, diallers[peer.id]?.peer != peer else { return }
                guard diallers[peer.id] != nil || diallers.count < 4 * options.mostPeers else { return }
                if let former = diallers[peer.id] { former.task.cancel() } else { queue.append(.found(peer)) }
                diallers[peer.id] = (peer, Task { await self.keepOpen(peer) })
            case .lost(let id):
                guard let dialler = diallers.removeValue(forKey: id) else { return }
                dialler.task.cancel()
                queue.append(.lost(dialler.peer))
            }
        }
    }

    /// Opens a channel to a peer, again and again, and tells why it does not work whenever the reason changes.
    private func keepOpen(_ peer: FoundPeer) async {
        var wait = options.retrySeconds
        var told: ChannelEnd?
        // The device of the lower key opens; the other one does so when nothing came about for a while.
        if let key = peer.key, store.fingerprint.short > key { await pause(4 * options.retrySeconds) }
        while !Task.isCancelled {
            if isConnected(peer.key) {
                await pause(options.retrySeconds)
                continue
            }
            var attempt: ChannelAttempt?
            for address in peer.addresses {
                attempt = await dial(address)
                guard case .unreachable = attempt?.state.withLock({ $0.end }) else { break }
            }
            guard let (end, wasOpen) = attempt?.state.withLock({ ($0.end, $0.peer != nil) }) else { return }
            if wasOpen {
                (wait, told) = (options.retrySeconds, nil)
            } else if let end, end != told, end != .duplicate, !Task.isCancelled {
                told = end
                queue.append(.failed(peer, end))
            }
            await pause(wait)
            wait = min(2 * wait, 20 * options.retrySeconds)
        }
    }

    private func isConnected(_ key: String?) -> Bool {
        guard let key else { return false }
        return state.withLock { $0.peers.keys.contains { $0.short == key } }
    }

    private func pause(_ seconds: Double) async {
        for await _ in clock.ticks(.seconds(seconds)) { return }
    }
}
