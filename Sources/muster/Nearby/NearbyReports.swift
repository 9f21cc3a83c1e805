import Foundation
import MusterCore
import MusterKit
import MusterNearby
import MusterTerminal

/// Reports the distances that `muster nearby` measures: stores them, and sends them while the server can be reached.
actor NearbyReports {
    private let reporter: RangeReporter
    private let isSimulated: Bool
    private let say: @Sendable (String) -> Void
    /// The tags of the peers that are connected and agree.
    private var tags: [KeyFingerprint: RangeTag] = [:]
    private let news = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    private var lastFailure: String?

    /// The waits between two attempts, seconds: they double up to the longest.
    private static let shortestWait = 1.0
    private static let longestWait = 30.0

    /// - Parameters:
    ///   - isSimulated: whether the distances are simulated, and reported as such.
    ///   - say: shows the user the reason why distances do not arrive.
    init(_ reporter: RangeReporter, isSimulated: Bool, say: @escaping @Sendable (String) -> Void) {
        self.reporter = reporter
        self.isSimulated = isSimulated
        self.say = say
    }

    /// Stores the distance of a measurement, if the peer agrees.
    func follow(_ event: NearbyEvent) async {
        switch event {
        case .rangeTag(let peer, let tag): tags[peer.key] = tag
        case .disconnected(let peer, _): tags[peer.key] = nil
        case .update(let peer, .measured(let measurement)):
            guard let tag = tags[peer.key], let range = range(to: tag, by: measurement) else { return }
            do throws(RangeReportError) {
                if try await reporter.record(range) { news.continuation.yield(()) }
            } catch {
                reportFailure("\(error)")
            }
        default: break
        }
    }

    /// Sends the waiting reports whenever there are any, until the task is cancelled. Reports that the server does not
    /// accept now are sent again later.
    func keepSending() async {
        var wait = Self.shortestWait
        news.continuation.yield(())
        for await _ in news.stream {
            while !Task.isCancelled {
                do throws(RangeReportError) {
                    let progress = try await reporter.sendAll()
                    if progress.refused > 0 { say("the server refused \(progress.refused) ranges") }
                    if lastFailure != nil { say("the server has all ranges now") }
                    (lastFailure, wait) = (nil, Self.shortestWait)
                    break
                } catch {
                    guard !Task.isCancelled else { return }
                    reportFailure("\(error)")
                    guard error.isPassing else {
                        // The devices continue to measure each other, but nothing more is sent.
                        for await _ in AsyncStream<Never>.makeStream().stream {}
                        return
                    }
                    var seconds = wait
                    if case .busy(_, let retryAfter?) = error { seconds = min(max(seconds, retryAfter), 300) }
                    try? await Task.sleep(for: .seconds(seconds))
                    wait = min(wait * 2, Self.longestWait)
                }
            }
        }
    }

    /// Ends the agreement to be measured.
    ///
    /// - Throws: `CommandFailure`.
    func withdraw() async throws {
        do throws(RangeReportError) { try await reporter.withdraw() } catch { throw CommandFailure("\(error)") }
        announce("The server stores no more distances to this device.")
    }

    /// Shows a failure, unless it is the one that was shown last.
    private func reportFailure(_ failure: String) {
        guard failure != lastFailure else { return }
        lastFailure = failure
        say(failure + "; ranges are kept meanwhile")
    }

    private func range(to tag: RangeTag, by measurement: RangeMeasurement) -> MeasuredRange? {
        guard let distance = measurement.distance?.value else { return nil }
        // A source that states no error counts as off by a tenth of the distance, as in `FusedRanging`.
        let deviation = measurement.quality.distanceError?.value ?? max(distance / 10, 0.3)
        return MeasuredRange(
            to: tag, time: measurement.time.date, metres: distance, deviationMetres: max(deviation, 0.001),
            source: isSimulated ? .simulated : MeasuredRange.Source(measurement.source))
    }
}

extension MeasuredRange.Source {
    /// The source as the server names it.
    init(_ kind: RangingKind) {
        self =
            switch kind {
            case .simulated: .simulated
            case .gps: .fixes
            case .bluetooth: .bluetooth
            case .accessory, .ultraWideband: .ultraWideband
            case .channelSounding: .channelSounding
            case .fused: .fused
            }
    }
}
