/// What holds of all that was declared of a person, and what must be remembered for it. Pure: a table of who outranks
/// whom stands in docs/safety.md and in the tests.
public struct Declared: Hashable, Sendable {
    /// What stands.
    public enum Standing: UInt8, Hashable, Sendable, CaseIterable {
        case nothing, safe, offSite, needsHelp, sos
    }

    /// What stands.
    public var standing = Standing.nothing
    /// When it was said.
    public var since = Instant(milliseconds: 0)
    /// Who said it.
    public var source = Safety.Source.ownDeclaration
    /// Who acknowledged the call for help.
    public var acknowledgedBy: UserNumber?
    /// When a call for help was last told, by the server's clock.
    public var toldAt = Instant(milliseconds: 0)
    /// How often a call was told again.
    public var reminders: Int32 = 0
    /// The newest declaration there was; what is older is history.
    public var latest: Instant?
    /// While declared safe: whether a device of theirs stood in a muster region, which it may leave.
    public var hasRefuge = false
    /// While declared safe: the incident in which it was said, and with which it ends.
    public var incident: IncidentNumber?
    /// What was said last of where they are and counts no longer, because it is too old or was said before an incident;
    /// nil where something newer was said.
    public var unconfirmed: Unconfirmed?

    /// A word that counts no longer.
    public struct Unconfirmed: Hashable, Sendable {
        /// What was said: safe or off site.
        public var standing: Standing
        /// When it was said.
        public var at: Instant
        /// Who said it.
        public var source: Safety.Source

        /// A word that counts no longer.
        public init(standing: Standing, at: Instant, source: Safety.Source) {
            self.standing = standing
            self.at = at
            self.source = source
        }
    }

    /// Nothing was declared.
    public init() {}

    /// Takes a declaration.
    ///
    /// - Parameter incident: the open incident on whose roll the subject stands.
    /// - Returns: false where it is history: older than what was declared since, said before an incident that asks
    ///   everyone anew, or an acknowledgement of what nobody calls for any more.
    mutating func applyDeclaration(_ declaration: Declaration, during incident: Incident?) -> Bool {
        let moment = declaration.moment
        if declaration.kind == .acknowledge {
            guard standing == .needsHelp || standing == .sos, acknowledgedBy == nil, moment >= since else {
                return false
            }
            acknowledgedBy = declaration.author
            return true
        }
        if let latest, moment < latest { return false }
        latest = moment
        switch declaration.kind {
        case .safe:
            if let incident, moment < incident.startedAt {
                let source = Safety.Source(declaration)
                if standing == .nothing { unconfirmed = Unconfirmed(standing: .safe, at: moment, source: source) }
                return false
            }
            guard standing != .sos else { return false }
            stand(.safe, by: declaration)
            self.incident = incident?.number
        case .offSite:
            guard standing != .sos, standing != .needsHelp else { return false }
            stand(.offSite, by: declaration)
        case .needsHelp:
            if standing == .sos { repeatCall(declaration) } else { call(.needsHelp, declaration) }
        case .sos: call(.sos, declaration)
        case .clear: end()
        case .acknowledge: break
        }
        return true
    }

    /// Ends what stands.
    mutating func end() {
        let latest = latest
        self = Declared()
        self.latest = latest
    }

    /// Ends what stands and remembers it as a word that nobody has confirmed.
    mutating func endUnconfirmed() {
        let word = Unconfirmed(standing: standing, at: since, source: source)
        end()
        unconfirmed = word
    }

    private mutating func stand(_ standing: Standing, by declaration: Declaration) {
        end()
        self.standing = standing
        since = declaration.moment
        source = Safety.Source(declaration)
    }

    private mutating func call(_ standing: Standing, _ declaration: Declaration) {
        if self.standing != standing { stand(standing, by: declaration) }
        repeatCall(declaration)
    }

    /// Whoever calls again was not helped: it is told anew.
    private mutating func repeatCall(_ declaration: Declaration) {
        acknowledgedBy = nil
        toldAt = declaration.receivedTime
        reminders = 0
    }

    /// Ends a word that something came after: a device of a person declared safe left the muster region it stood in,
    /// or the word is older than words hold; a "safe" with no incident that keeps asking, than a device may be silent.
    ///
    /// - Parameters:
    ///   - derived: what the devices tell.
    ///   - decidedAt: the sample time at which they told it.
    ///   - holdsSeconds: for how long "safe" and "off site" hold. A call for help holds until someone ends it.
    mutating func outlive(
        _ derived: Safety.State, decidedAt: Instant, now: Instant, silenceSeconds: Double, holdsSeconds: Double
    ) {
        guard standing == .safe || standing == .offSite else { return }
        if now.seconds(since: since) > holdsSeconds { return endUnconfirmed() }
        guard standing == .safe else { return }
        if derived == .safe { hasRefuge = true }
        if derived == .unsafe {
            if hasRefuge, decidedAt > since { return end() }
            hasRefuge = false
        }
        if incident == nil, now.seconds(since: since) > silenceSeconds { endUnconfirmed() }
    }

    /// How someone is, by what stands and what the devices tell. Inside a muster region is the better evidence for
    /// being safe.
    func safety(over derived: Safety) -> Safety {
        let state: Safety.State
        switch standing {
        case .nothing: return derived
        case .safe where derived.state == .safe: return derived
        case .safe: state = .safe
        case .offSite: state = .offSite
        case .needsHelp: state = .needsHelp
        case .sos: state = .sos
        }
        return Safety(state: state, since: since, source: source, acknowledgedBy: acknowledgedBy)
    }

    /// Whether a call for help is to be told again.
    func isReminderDue(at now: Instant) -> Bool {
        (standing == .needsHelp || standing == .sos) && acknowledgedBy == nil
            && now.seconds(since: toldAt) >= Engine.reminderSeconds
    }
}

extension Safety.Source {
    /// What someone said of itself, or of someone else.
    fileprivate init(_ declaration: Declaration) {
        self = declaration.author == declaration.subject ? .ownDeclaration : .marked(by: declaration.author)
    }
}
