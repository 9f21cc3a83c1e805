/// A team's settings for incidents and declarations.
public struct IncidentSettings: Hashable, Sendable {
    /// Whether a drill closes by itself once everyone has stayed accounted for, without doubt, for
    /// `closesAfterSeconds`.
    public var closesDrills: Bool
    /// Whether a real incident closes by itself in the same way. Only an admin may choose this.
    public var closesRealIncidents: Bool
    /// For how many seconds everyone must have stayed accounted for.
    public var closesAfterSeconds: Double
    /// For how many seconds a declared "off site" or "safe" holds.
    public var declaredHoldsSeconds: Double
    /// Whether clients show safety also without an incident. This changes nothing that the server decides.
    public var showsSafetyAlways: Bool
    /// The seconds between two requests of PAR in an incident; nil while only users request it.
    public var parEverySeconds: Double?
    /// Whether people of the team may declare a pause, which explains why their phones are silent.
    public var allowsPause: Bool

    /// The default of `closesAfterSeconds`: 5 minutes.
    public static let usualClosesAfterSeconds: Double = 300
    /// The default of `declaredHoldsSeconds`: 12 hours.
    public static let usualDeclaredHoldsSeconds: Double = 43_200

    /// Creates settings. By default no incident closes by itself, no PAR is requested by itself, and nobody may pause.
    public init(
        closesDrills: Bool = false, closesRealIncidents: Bool = false,
        closesAfterSeconds: Double = IncidentSettings.usualClosesAfterSeconds,
        declaredHoldsSeconds: Double = IncidentSettings.usualDeclaredHoldsSeconds, showsSafetyAlways: Bool = false,
        parEverySeconds: Double? = nil, allowsPause: Bool = false
    ) {
        self.closesDrills = closesDrills
        self.closesRealIncidents = closesRealIncidents
        self.closesAfterSeconds = closesAfterSeconds
        self.declaredHoldsSeconds = declaredHoldsSeconds
        self.showsSafetyAlways = showsSafetyAlways
        self.parEverySeconds = parEverySeconds
        self.allowsPause = allowsPause
    }

    /// Whether an incident of this kind closes by itself.
    public func closes(_ kind: Incident.Kind) -> Bool {
        switch kind {
        case .drill: closesDrills
        case .real: closesRealIncidents
        }
    }
}
