import MusterCore
import MusterDocuments

/// The stored bytes of proximity rules and their reports.
extension ByteWriter {
    /// Writes a rule without its number.
    mutating func put(_ rule: ProximityRule) {
        put(number: rule.team.rawValue)
        put(text: rule.name)
        put(rule.centre)
        put(rule.subject)
        put(exact: rule.radiusMetres)
        put(rule.demand)
        put(optional: rule.note)
        put(number: rule.setBy.rawValue)
        put(instant: rule.setAt)
    }

    mutating func put(_ report: ProximityReport) {
        put(number: report.rule.rawValue)
        put(text: report.name)
        put(number: report.team.rawValue)
        put(report.centre)
        put(exact: report.radiusMetres)
        put(report.demand)
        put(optional: report.note)
        put(byte: report.turn.rawValue)
        put(instant: report.at)
        put(optional: report.by)
        put(optional: report.who)
        put(optional: report.since)
        put(metres: report.metres)
        put(deviation: report.deviationMetres, report.source)
    }

    private mutating func put(_ centre: ProximityRule.Centre) {
        switch centre {
        case .person(let user):
            put(byte: 0)
            put(number: user.rawValue)
        case .device(let device):
            put(byte: 1)
            put(number: device.rawValue)
        }
    }

    private mutating func put(_ demand: ProximityRule.Demand) {
        switch demand {
        case .fence: put(byte: 0)
        case .together(let afterSeconds):
            put(byte: 1)
            put(exact: afterSeconds)
        }
    }

    private mutating func put(metres: Double?) {
        put(byte: metres == nil ? 0 : 1)
        if let metres { put(exact: metres) }
    }
}

extension ByteReader {
    mutating func proximityRule(_ number: ProximityNumber) throws(CodecError) -> ProximityRule {
        let team = TeamNumber(try self.number())
        let name = try text()
        let (centre, subject) = (try proximityCentre(), try ruleSubject())
        let radius = try exactDouble()
        let demand = try proximityDemand()
        let note: String? = try isPresent() ? try text() : nil
        let setBy = UserNumber(try self.number())
        return ProximityRule(
            number: number, team: team, name: name, centre: centre, subject: subject, radiusMetres: radius,
            demand: demand, note: note, setBy: setBy, setAt: try instant())
    }

    mutating func proximityReport() throws(CodecError) -> ProximityReport {
        let number = ProximityNumber(try number())
        let name = try text()
        let team = TeamNumber(try self.number())
        let centre = try proximityCentre()
        let radius = try exactDouble()
        let demand = try proximityDemand()
        let note: String? = try isPresent() ? try text() : nil
        guard let turn = ProximityReport.Turn(rawValue: try byte()) else { throw .malformed(offset: offset) }
        let moment = try instant()
        let rule = ProximityRule(
            number: number, team: team, name: name, centre: centre, radiusMetres: radius, demand: demand, note: note,
            setBy: UserNumber(0), setAt: moment)
        var report = ProximityReport(turn, of: rule, at: moment)
        report.by = try isPresent() ? UserNumber(try self.number()) : nil
        report.who = try isPresent() ? UserNumber(try self.number()) : nil
        report.since = try optionalInstant()
        report.metres = try isPresent() ? try exactDouble() : nil
        (report.deviationMetres, report.source) = try deviation()
        return report
    }

    private mutating func proximityCentre() throws(CodecError) -> ProximityRule.Centre {
        switch try byte() {
        case 0: return .person(UserNumber(try number()))
        case 1: return .device(DeviceNumber(try number()))
        default: throw .malformed(offset: offset)
        }
    }

    private mutating func proximityDemand() throws(CodecError) -> ProximityRule.Demand {
        switch try byte() {
        case 0: return .fence
        case 1: return .together(afterSeconds: try exactDouble())
        default: throw .malformed(offset: offset)
        }
    }
}
