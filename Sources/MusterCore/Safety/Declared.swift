/// The result of all declarations about a person, and what the engine must remember to apply the next one. The table of
/// which declaration outranks which is in docs/safety.md and in the tests.
public struct Declared: Hashable, Sendable {
    /// The declared state that applies.
    public var status = DeclaredStatus.nothing
    /// When the author declared it.
    public var since = Instant(milliseconds: 0)
    /// Who declared it.
    public var source = Safety.Source.ownDeclaration
    /// The user who acknowledged the call for help; nil while nobody has.
    public var acknowledgedBy: UserNumber?
    /// When the engine last reported the call for help, by the server's clock.
    public var toldAt = Instant(milliseconds: 0)
    /// How often the engine has reported the call again.
    public var reminders: Int32 = 0
    /// The moment of the newest declaration; an older declaration is history.
    public var latest: Instant?
    /// While declared safe: whether a device of the person has been inside a muster region. When it then leaves, the
    /// declaration ends.
    public var wasInMusterRegion = false
    /// While declared safe: the incident during which it was declared. The declaration ends with that incident.
    public var incident: IncidentNumber?
    /// The last "safe" or "off site" that no longer applies, because it expired or was declared before an incident; nil
    /// once a newer declaration applies.
    public var unconfirmed: Unconfirmed?
    /// The person's check-in timer; nil when none runs. No declaration ends it.
    public var timer: CheckInTimer? {
        get { lasting.first?.timer }
        set { setLasting { $0.timer = newValue } }
    }
    /// The person's pause; nil when there is none. No declaration ends it.
    public var pause: Pause? {
        get { lasting.first?.pause }
        set { setLasting { $0.pause = newValue } }
    }
    // An array of one element or none keeps the struct small: the engine copies and compares it whenever a device
    // moves, and few people have a timer or a pause.
    private var lasting: [Lasting] = []

    /// The timer and the pause of a person, which no declaration ends.
    private struct Lasting: Hashable {
        var timer: CheckInTimer?
        var pause: Pause?
    }

    private mutating func setLasting(_ change: (inout Lasting) -> Void) {
        var changed = lasting.first ?? Lasting()
        change(&changed)
        lasting = changed == Lasting() ? [] : [changed]
    }

    /// Whether the person has a timer or a pause: both change as time passes.
    var changesByTime: Bool { !lasting.isEmpty }

    /// A declaration of "safe" or "off site" that no longer applies.
    public struct Unconfirmed: Hashable, Sendable {
        /// What was declared: safe or off site.
        public var status: DeclaredStatus
        /// When the author declared it.
        public var at: Instant
        /// Who declared it.
        public var source: Safety.Source

        /// Creates a declaration that no longer applies.
        public init(status: DeclaredStatus, at: Instant, source: Safety.Source) {
            self.status = status
            self.at = at
            self.source = source
        }
    }

    /// Creates the result of no declaration.
    public init() {}

    /// Applies a declaration.
    ///
    /// - Parameter incident: the open incident on whose roll the subject is; nil when there is none.
    /// - Returns: false when the declaration does not count: it is older than the newest one, is "safe" from before the
    ///   open incident, is weaker than the call for help that applies, or acknowledges a call that nobody makes or that
    ///   someone has acknowledged.
    mutating func applyDeclaration(_ declaration: Declaration, during incident: Incident?) -> Bool {
        let moment = declaration.moment
        if declaration.kind == .acknowledge {
            guard status == .needsHelp || status == .sos, acknowledgedBy == nil, moment >= since else {
                return false
            }
            acknowledgedBy = declaration.author
            return true
        }
        if let latest, moment < latest { return false }
        latest = moment
        switch declaration.kind {
        case .safe:
            if let incident, declaration.isEarlier(than: incident) {
                let source = Safety.Source(declaration)
                if status == .nothing { unconfirmed = Unconfirmed(status: .safe, at: moment, source: source) }
                return false
            }
            guard status != .sos else { return false }
            setStatus(.safe, by: declaration)
            self.incident = incident?.number
        case .offSite:
            guard status != .sos, status != .needsHelp else { return false }
            setStatus(.offSite, by: declaration)
        case .needsHelp:
            if status == .sos { repeatCall(at: declaration.receivedTime) } else { call(.needsHelp, declaration) }
        case .sos: call(.sos, declaration)
        case .clear: end()
        case .acknowledge: break
        }
        return true
    }

    /// Whether a declaration calls for help that is already called for.
    func isCalled(by declaration: Declaration) -> Bool {
        switch declaration.kind {
        case .sos: status == .sos
        case .needsHelp: status == .sos || status == .needsHelp
        case .safe, .offSite, .clear, .acknowledge: false
        }
    }

    /// Ends the declared state.
    mutating func end() {
        let (latest, lasting) = (latest, lasting)
        self = Declared()
        self.latest = latest
        self.lasting = lasting
    }

    /// Ends the declared state and remembers it as unconfirmed.
    mutating func endUnconfirmed() {
        let word = Unconfirmed(status: status, at: since, source: source)
        end()
        unconfirmed = word
    }

    private mutating func setStatus(_ status: DeclaredStatus, by declaration: Declaration) {
        end()
        self.status = status
        since = declaration.moment
        source = Safety.Source(declaration)
    }

    private mutating func call(_ status: DeclaredStatus, _ declaration: Declaration) {
        if self.status != status { setStatus(status, by: declaration) }
        repeatCall(at: declaration.receivedTime)
    }

    /// Raises an SOS for a person whose check-in timer ran out. If the person already counts as calling SOS and someone
    /// has acknowledged it, the acknowledgement ends, and the engine reports the SOS anew.
    ///
    /// The SOS counts as newer than every declaration made before now, so that such a declaration does not end it when
    /// it arrives late.
    mutating func raiseSOS(at now: Instant) {
        if status == .sos {
            latest = max(latest ?? now, now)
            if acknowledgedBy != nil { repeatCall(at: now) }
            return
        }
        end()
        status = .sos
        since = now
        source = .checkInTimer
        toldAt = now
        latest = max(latest ?? now, now)
    }

    /// Removes the acknowledgement: a person who calls again was not helped, so the engine reports the call anew.
    private mutating func repeatCall(at now: Instant) {
        acknowledgedBy = nil
        toldAt = now
        reminders = 0
    }

    /// Adjusts the declared state after the server was off, or its clock was set back. No time lies in the future
    /// afterwards; otherwise new declarations would count as older than the newest one, and reminders would wait until
    /// the clock has caught up.
    mutating func adjustTimes(to now: Instant, wasOff: Bool) {
        since = min(since, now)
        toldAt = min(toldAt, now)
        latest = latest.map { min($0, now) }
        timer?.adjustTimes(to: now, wasOff: wasOff)
        if var pause {
            pause.since = min(pause.since, now)
            pause.until = min(pause.until, now.advanced(bySeconds: Pause.limitSeconds))
            self.pause = pause
        }
    }

    /// Ends a "safe" or "off site" that has been overtaken: a device of a person declared safe left the muster region
    /// that it stood in, or seems to have; the declaration is older than `holdsSeconds`; or it is a "safe" without an
    /// incident and older than `silenceSeconds`.
    ///
    /// - Parameters:
    ///   - derived: the safety that follows from the devices.
    ///   - decidedAt: the sample time from which it follows.
    ///   - holdsSeconds: how long "safe" and "off site" hold. A call for help holds until a person ends it.
    mutating func outlive(
        _ derived: Safety, decidedAt: Instant, now: Instant, silenceSeconds: Double, holdsSeconds: Double
    ) {
        guard status == .safe || status == .offSite else { return }
        if now.seconds(since: since) > holdsSeconds { return endUnconfirmed() }
        guard status == .safe else { return }
        if derived.state == .safe { wasInMusterRegion = true }
        // What an older fix shows decides nothing: the declaration ends with the next newer one.
        let isOutside = derived.state == .unsafe || derived.source == .seemsToHaveLeft
        if isOutside, wasInMusterRegion, decidedAt > since { return end() }
        if incident == nil, now.seconds(since: since) > silenceSeconds { endUnconfirmed() }
    }

    /// Returns the person's safety from the declared state and from the safety that follows from the devices. A device
    /// that is inside a muster region without a doubt is better evidence for being safe than a declaration.
    func safety(over derived: Safety) -> Safety {
        let state: Safety.State
        switch status {
        case .nothing: return derived
        case .safe where derived.state == .safe && derived.doubt == nil: return derived
        case .safe: state = .safe
        case .offSite: state = .offSite
        case .needsHelp: state = .needsHelp
        case .sos: state = .sos
        }
        return Safety(state: state, since: since, source: source, acknowledgedBy: acknowledgedBy)
    }

    /// Whether the engine must report a call for help again.
    func isReminderDue(at now: Instant) -> Bool {
        (status == .needsHelp || status == .sos) && acknowledgedBy == nil
            && now.seconds(since: toldAt) >= Engine.reminderSeconds
    }
}

extension Safety.Source {
    /// The source of a declaration: the subject or another user.
    fileprivate init(_ declaration: Declaration) {
        self = declaration.author == declaration.subject ? .ownDeclaration : .marked(by: declaration.author)
    }
}
