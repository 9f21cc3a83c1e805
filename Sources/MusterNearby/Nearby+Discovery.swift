import MusterMutex

/// Following a discovery: this device keeps a channel open to each peer found.
extension Nearby {
    /// Keeps a channel open to each peer that a discovery finds. Once the discovery reports that a peer is gone, an
    /// open channel stays open, but no new one is opened.
    func follow(_ discovery: any Discovery, announcing own: Announcement) async {
        let diallers = Diallers()
        do {
            if let rendezvous = discovery as? any Rendezvous {
                try await run(rendezvous, announcing: own) { news in self.handle(news, own, diallers, rendezvous) }
            } else {
                try await discovery.run(announcing: own) { news in self.handle(news, own, diallers, nil) }
            }
        } catch {
            if !Task.isCancelled {
                queue.append(.discoveryFailed("\(error)"))
                await Task.untilCancelled()
            }
        }
        // Each task ends when its channel has ended.
        for dialler in diallers.state.withLock({ Array($0.values) }) { dialler.task.withLock { $0?.cancel() } }
    }

    /// Keeps a channel open to one found peer, at the addresses that the discovery reported last.
    private final class Dialler: Sendable {
        let peer: Mutex<FoundPeer>
        let task: Mutex<Task<Void, Never>?> = Mutex(nil)
        /// Carries the streams to the peer; nil if the peer has addresses.
        let rendezvous: (any Rendezvous)?

        init(_ peer: FoundPeer, by rendezvous: (any Rendezvous)?) {
            self.peer = Mutex(peer)
            self.rendezvous = rendezvous
        }
    }

    /// The diallers, by the ids of the found peers in lower case, because names of services ignore case.
    private final class Diallers: Sendable {
        let state = Mutex<[String: Dialler]>([:])
    }

    private func handle(
        _ news: DiscoveryNews, _ own: Announcement, _ diallers: Diallers, _ rendezvous: (any Rendezvous)?
    ) {
        diallers.state.withLock { diallers in
            switch news {
            case .found(let peer):
                guard peer.key != own.key else { return }
                // Each peer has one task, so a peer that announces changes all the time is not dialled more often.
                if let known = diallers[peer.id.lowercased()] {
                    known.peer.withLock { $0 = peer }
                    return
                }
                guard diallers.count < 4 * options.mostPeers else { return }
                queue.append(.found(peer))
                let dialler = Dialler(peer, by: rendezvous)
                diallers[peer.id.lowercased()] = dialler
                dialler.task.withLock { $0 = Task { await self.keepOpen(dialler) } }
            case .lost(let id):
                guard let dialler = diallers.removeValue(forKey: id.lowercased()) else { return }
                dialler.task.withLock { $0?.cancel() }
                queue.append(.lost(dialler.peer.withLock { $0 }))
            case .interrupted(let reason): queue.append(.discoveryInterrupted(reason))
            case .resumed(let words): queue.append(.discoveryResumed(words))
            }
        }
    }

    /// Opens a channel to a peer again and again. Reports why it fails whenever the reason changes.
    private func keepOpen(_ dialler: Dialler) async {
        var wait = options.retrySeconds
        var told: ChannelEnd?
        // Two devices on one network should first have time to find each other without the rendezvous.
        if dialler.rendezvous != nil { await pause(2 * options.retrySeconds) }
        // The device with the lower key opens the channel. The other one tries too if none was opened for a while.
        if let key = dialler.peer.withLock({ $0.key }), store.fingerprint.short > key {
            await pause(4 * options.retrySeconds)
        }
        while !Task.isCancelled {
            let peer = dialler.peer.withLock { $0 }
            if isConnected(peer.key) {
                await pause(options.retrySeconds)
                continue
            }
            var attempt: ChannelAttempt?
            if let rendezvous = dialler.rendezvous { attempt = await dial(peer.id, through: rendezvous) }
            for address in peer.addresses.prefix(Self.mostAddresses) where !Task.isCancelled {
                attempt = await dial(address)
                guard case .unreachable = attempt?.state.withLock({ $0.end }) else { break }
            }
            guard let (end, wasOpen) = attempt?.state.withLock({ ($0.end, $0.peer != nil) }) else {
                await pause(wait)
                continue
            }
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

    /// The largest number of a peer's addresses that are tried.
    private static let mostAddresses = 8

    private func isConnected(_ key: String?) -> Bool {
        guard let key else { return false }
        return state.withLock { $0.peers.keys.contains { $0.short == key } }
    }

    private func pause(_ seconds: Double) async {
        for await _ in clock.ticks(.seconds(seconds)) { return }
    }
}
