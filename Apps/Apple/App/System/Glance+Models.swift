import Foundation
import MusterApp

extension Glance {
    /// How long the server's word and the phone's place count as of now in a widget, seconds.
    private static let freshSeconds = 600.0
    /// By how much the end of freshness must have moved for the widgets to be told of it alone, seconds.
    private static let renewSeconds = 120.0

    /// What the models of an account say now.
    @MainActor init(_ account: AccountModel) {
        let status = account.status.snapshot
        let way = account.way.snapshot
        // Both are by the phone's clock.
        let heard = [status.saidAt ?? .distantPast, way?.asOf ?? .distantFuture].min() ?? .distantPast
        let asOf = status.saidAt
        let aged = Face(
            symbol: "clock.badge.questionmark", title: status.agedTitle, line: status.detail, tone: .none, asOf: asOf)
        let fresh = Face(
            symbol: status.state.symbol, title: status.title, line: status.detail, tone: status.state.tone, asOf: asOf)
        self.init(
            status: status.isOld ? aged : fresh, way: Face(way),
            freshUntil: heard.addingTimeInterval(Self.freshSeconds), agedStatus: aged, agedWay: Face(way))
    }

    /// Stores it for the widgets if they would show something else, or the same for noticeably longer.
    ///
    /// - Returns: whether it was stored.
    func storeIfNewer() -> Bool {
        guard var former = Glance.load() else { return store() }
        if abs(freshUntil.timeIntervalSince(former.freshUntil)) < Self.renewSeconds {
            former.freshUntil = freshUntil
            former.keepTimes(of: self)
        }
        return former == self ? false : store()
    }

    private mutating func keepTimes(of newer: Glance) {
        status.asOf = newer.status.asOf
        way.asOf = newer.way.asOf
        agedStatus.asOf = newer.agedStatus.asOf
        agedWay.asOf = newer.agedWay.asOf
        // The time is in its title, too.
        if status == newer.status { agedStatus.title = newer.agedStatus.title }
    }
}

extension Glance.Face {
    /// The way to the nearest assembly point; an empty face without one.
    fileprivate init(_ way: WaySnapshot?) {
        self.init(
            symbol: way == nil ? "location.slash" : "location.north.line.fill", title: way?.distanceText ?? "",
            line: [way?.name, way?.directionText].compactMap(\.self).joined(separator: " · "),
            // A colour would be read as that of the state.
            tone: .none, asOf: way?.asOf)
    }
}

extension IncidentActivities.Call {
    /// Seconds between two moments from which on an activity may be old: it is brought up to date so often at most
    /// where nothing else changes.
    private static let stepSeconds = 60.0

    /// The Live Activity of a call.
    @MainActor init(_ card: CallModel.Card, _ account: AccountModel) {
        var glance = Glance(account)
        // The system marks an activity as stale by itself; a time here would begin it anew each second.
        glance.status.asOf = nil
        glance.way.asOf = nil
        glance.agedStatus.asOf = nil
        glance.agedWay.asOf = nil
        let steps = (glance.freshUntil.timeIntervalSinceReferenceDate / Self.stepSeconds).rounded(.down)
        self.init(
            attributes: IncidentAttributes(call: IncidentCall(card)),
            state: .shown(
                IncidentShown(
                    title: card.title, team: card.line, line: card.seenText ?? card.whatToDo, note: card.note,
                    status: glance.status, way: glance.way, agedStatus: glance.agedStatus, agedWay: glance.agedWay,
                    acknowledgeTitle: card.seenText == nil ? card.acknowledgeTitle : nil,
                    safeTitle: account.safety.safeTitle)),
            staleAt: Date(timeIntervalSinceReferenceDate: steps * Self.stepSeconds))
    }
}
