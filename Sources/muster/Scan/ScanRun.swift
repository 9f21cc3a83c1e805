import Foundation
import MusterCore
import MusterKit
import MusterTerminal

/// A scan from its start to its end: receives advertisements, stores the sightings, and sends them.
struct ScanRun {
    private let source: any AdvertisementSource
    private let everySeconds: Double
    private let display: ScanDisplay
    /// The sightings that the server does not have; nil without a server.
    var outbox: SightingOutbox?
    /// Sends the sightings in the outbox; nil without a server.
    var sender: SightingSender?
    /// How long to keep trying to send after the end of the source, seconds; 0 for no limit.
    var waitSeconds = 0.0
    /// The folder of the outbox, for messages.
    var outboxFolder = ""

    /// The waits between two attempts, seconds: they double up to the longest.
    private static let shortestWait = 1.0
    private static let longestWait = 30.0

    init(_ source: any AdvertisementSource, every seconds: Double, display: ScanDisplay) {
        self.source = source
        everySeconds = seconds
        self.display = display
    }

    /// Runs until the source ends and all is sent; a live source never ends.
    ///
    /// - Throws: `CommandFailure`.
    func run() async throws {
        let recorder = ScanRecorder(everySeconds: everySeconds, outbox: outbox, display: display)
        try await withThrowingTaskGroup(of: Bool.self) { group in
            group.addTask {
                try await recordReports(by: recorder)
                return true
            }
            if source.isLive {
                group.addTask {
                    while true {
                        try await Task.sleep(for: .seconds(everySeconds))
                        try await recorder.advance(to: .now)
                    }
                }
            }
            if let outbox, let sender {
                group.addTask {
                    try await send(from: outbox, by: sender)
                    return false
                }
            }
            // The tasks that store and send have no end; that of the source ends when all is heard.
            while let isHeard = try await group.next(), !isHeard {}
            group.cancelAll()
        }
        if let outbox, let sender { try await sendRest(of: outbox, by: sender) }
        await display.finish()
    }

    // MARK: Hearing

    private func recordReports(by recorder: ScanRecorder) async throws {
        var wait = Self.shortestWait
        var hasHeard = false
        while true {
            do {
                for try await news in source.listen() {
                    try await recorder.follow(news)
                    switch news {
                    case .listening:
                        (hasHeard, wait) = (true, Self.shortestWait)
                        await display.showMessage("Listening to \(source.name)")
                    case .paused(let why): await display.showMessage(why)
                    case .heard, .proved: break
                    }
                }
                return try await recorder.finish()
            } catch let fault as RadioError {
                // A controller that never answered is an error of the command line; one that did may come back.
                guard hasHeard, source.isLive, fault.isPassing else { throw CommandFailure(fault.description) }
                try await recorder.stop()
                await display.showMessage("\(fault); trying again in \(Int(wait)) s")
                try await Task.sleep(for: .seconds(wait))
                wait = min(wait * 2, Self.longestWait)
            }
        }
    }

    // MARK: Sending

    private func send(from outbox: SightingOutbox, by sender: SightingSender) async throws {
        let announcements = outbox.announcements()
        try await sendAll(by: sender, until: nil)
        for await _ in announcements { try await sendAll(by: sender, until: nil) }
    }

    private func sendRest(of outbox: SightingOutbox, by sender: SightingSender) async throws {
        let end = waitSeconds > 0 ? Instant.now.advanced(bySeconds: waitSeconds) : nil
        guard try await sendAll(by: sender, until: end) else {
            throw CommandFailure("the server does not have everything; the rest is kept in \(outboxFolder)")
        }
    }

    /// Sends all waiting sightings, and retries while that fails.
    ///
    /// - Returns: whether all was sent; false when the time was over, or the task was cancelled.
    /// - Throws: `CommandFailure` when no later attempt can succeed.
    @discardableResult
    private func sendAll(by sender: SightingSender, until end: Instant?) async throws -> Bool {
        var wait = Self.shortestWait
        while true {
            do throws(SightingSender.Failure) {
                try await sender.sendAll { await display.countProgress($0) }
                await display.recordArrival()
                return true
            } catch {
                guard !Task.isCancelled else { return false }
                guard error.isPassing else { throw CommandFailure(error.description) }
                var seconds = wait * Double.random(in: 0.75...1.25)
                if case .busy(_, let retryAfter?) = error { seconds = min(max(seconds, retryAfter), 300) }
                await display.showFailure("\(error)")
                if let end, Instant.now.advanced(bySeconds: seconds) > end { return false }
                try? await Task.sleep(for: .seconds(seconds))
                guard !Task.isCancelled else { return false }
                wait = min(wait * 2, Self.longestWait)
            }
        }
    }
}

/// Gathers the sightings, stores those of each interval, and shows them once they are stored.
actor ScanRecorder {
    private var tally: SightingTally
    private var hearing = ProvenHearing()
    /// Intervals that could not be stored yet, because the disk is full.
    private var waiting: [SightingBatch] = []
    private let outbox: SightingOutbox?
    private let display: ScanDisplay

    /// The most intervals that wait in memory for room on the disk.
    private static let waitingLimit = 600

    init(everySeconds: Double, outbox: SightingOutbox?, display: ScanDisplay) {
        tally = SightingTally(intervalSeconds: everySeconds)
        self.outbox = outbox
        self.display = display
    }

    func follow(_ news: RadioNews) async throws {
        hearing.follow(news)
        switch news {
        case .heard(let heard): if let batch = tally.add(heard) { try await store(batch) }
        case .paused: try await finish()
        case .listening, .proved: break
        }
    }

    /// Ends the interval because the source failed. Until the source works again, its silence is no evidence.
    func stop() async throws {
        hearing.stop()
        try await finish()
    }

    /// Ends the interval if its time is over, as far as the source is known to have heard.
    func advance(to now: Instant) async throws {
        guard let end = hearing.end(at: now), let batch = tally.advance(to: end) else { return }
        try await store(batch)
    }

    /// Stores the sightings since the last interval.
    func finish() async throws {
        if let batch = tally.finish() { try await store(batch) }
    }

    private func store(_ batch: SightingBatch) async throws {
        guard let outbox else { return await display.show(batch, isWaiting: 0) }
        waiting.append(batch)
        if waiting.count > Self.waitingLimit { waiting.removeFirst() }
        let batches = waiting
        waiting = []
        do throws(SightingOutboxError) {
            let removed = try await outbox.store(batches)
            if removed > 0 {
                await display.showMessage("The store is full: the oldest \(removed) sightings were removed")
            }
            let count = try await outbox.count()
            for batch in batches { await display.show(batch, isWaiting: count) }
        } catch {
            guard error == .full else { throw CommandFailure("the outbox on this device failed: \(error)") }
            waiting = batches + waiting
            await display.showFailure("the disk of this device is full; new sightings wait in memory")
        }
    }
}
