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
        let heard = [status.saidAt ?? .distantPast, way?.asOf ?? .distantFuture].min() ?? .distantPast
        let asOf = status.saidAt
        self.init(
            status: Face(
                symbol: status.state.symbol, title: status.title, line: status.detail, tone: status.state.tone,
                asOf: asOf),
            way: Face(way), freshUntil: heard.addingTimeInterval(Self.freshSeconds),
            agedStatus: Face(
                symbol: "clock.badge.questionmark", title: status.title, line: status.detail, tone: .none, asOf: asOf),
            agedWay: Face(way))
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

extension IncidentAttributes {
    /// The Live Activity of a call.
    @MainActor static func of(
        _ card: CallModel.Card, _ account: AccountModel
    ) -> (attributes: IncidentAttributes, state: ContentState) {
        let glance = Glance(account)
        var (status, way) = (glance.status, glance.way)
        // The system marks an activity as stale by itself; a time here would begin it anew each second.
        (status.asOf, way.asOf) = (nil, nil)
        let state = ContentState(
            title: card.title, line: card.seenText ?? card.whatToDo, status: status, way: way,
            acknowledgeTitle: card.seenText == nil ? card.acknowledgeTitle : nil, safeTitle: account.safety.safeTitle)
        return (IncidentAttributes(call: card.id, team: card.line), state)
    }
}
