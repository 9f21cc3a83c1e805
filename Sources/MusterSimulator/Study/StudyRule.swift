package import MusterCore

/// A rule that says when someone is inside.
package enum StudyRule: Hashable, Sendable, CustomStringConvertible {
    /// Where the fix is.
    case raw
    /// Home Assistant's: in when the whole circle of accuracy is in, out when all of it is out.
    case homeAssistant
    /// Five fixes of 30 m or better, one after the other, that agree.
    case fiveOfFive
    /// Ours, in its three modes.
    case confident, insideIsSafe, insideIsDanger
    /// Ours, with the true probability that a normal error leaves inside in place of the one by the nearest boundary.
    case byMass
    /// Ours, by other thresholds.
    case confidentAt(CrossingThresholds)

    /// The rows of the study's table.
    package static let compared: [StudyRule] = [
        .raw, .homeAssistant, .fiveOfFive, .confident, .insideIsSafe, .insideIsDanger,
    ]

    /// From slow and calm to quick and restless: ours without a rule for those who move, then with lower and lower
    /// thresholds for them, then lower ones for all.
    package static let frontier: [StudyRule] = {
        let pairs = [(1.0, 0.0), (0.75, 0.25), (0.65, 0.35), (0.6, 0.4), (0.55, 0.45), (0.5, 0.5)]
        let moving = pairs.map { CrossingThresholds(standard: (0.85, 0.05, 5), movingEnter: $0, movingExit: $1) }
        let standing = [(0.75, 0.15, 5.0), (0.65, 0.25, 2.0), (0.55, 0.45, 0.0)].map {
            CrossingThresholds(standard: $0, movingEnter: 0.55, movingExit: 0.45)
        }
        return [.homeAssistant] + (moving + standing).map { .confidentAt($0) }
    }()

    /// What the tables call it.
    package var description: String {
        switch self {
        case .raw: "raw"
        case .homeAssistant: "Home Assistant"
        case .fiveOfFive: "5 of 5, a ≤ 30"
        case .confident: "confident"
        case .insideIsSafe: "inside is safe"
        case .insideIsDanger: "inside is danger"
        case .byMass: "by mass"
        case .confidentAt(let thresholds): thresholds.description
        }
    }

    /// The thresholds, of ours.
    var thresholds: CrossingThresholds? {
        switch self {
        case .raw, .homeAssistant, .fiveOfFive: nil
        case .confident, .byMass: RegionMode.standard.thresholds
        case .insideIsSafe: RegionMode.insideIsSafe.thresholds
        case .insideIsDanger: RegionMode.insideIsDanger.thresholds
        case .confidentAt(let thresholds): thresholds
        }
    }
}

extension CrossingThresholds {
    /// The standard mode with others for those who move; 1 and 0 are never reached.
    fileprivate init(
        standard: (enter: Double, exit: Double, marginMetres: Double), movingEnter: Double, movingExit: Double
    ) {
        self.init(
            enter: standard.enter, exit: standard.exit, exitMarginMetres: standard.marginMetres,
            movingEnter: movingEnter, movingExit: movingExit, movingExitMarginMetres: 0)
    }

    /// What the tables call them.
    fileprivate var description: String {
        let standing = "\(enter)/\(exit), \(Int(exitMarginMetres)) m"
        return movingEnter < 1 ? "\(standing); moving \(movingEnter)/\(movingExit)" : standing
    }
}

/// What a rule holds of one phone and one region.
struct StudyJudge {
    let rule: StudyRule
    private(set) var standing = Standing.unknown
    /// The probability that it is inside, of ours.
    private(set) var probability = 0.5
    private var agreeing = 0
    private var lastWasInside = false

    init(_ rule: StudyRule) { self.rule = rule }

    /// Takes a fix.
    ///
    /// - Returns: what crossing the rule sees; the first standing is none.
    mutating func hear(_ fix: StudyPhone.Fix, of region: StudyRegion) -> Crossing.Kind? {
        let before = standing
        standing = judge(fix, of: region)
        guard before != .unknown, standing != before else { return nil }
        return standing == .inside ? .enter : .exit
    }

    private mutating func judge(_ fix: StudyPhone.Fix, of region: StudyRegion) -> Standing {
        if rule == .byMass, let mass = judgeByMass(fix, of: region) { return mass }
        if let thresholds = rule.thresholds {
            let verdict = ConfidentPolicy.verdict(
                from: standing, signedDistanceMetres: region.signedDistance(of: fix.estimate),
                deviationMetres: fix.deviation, isSettled: fix.isSettled, thresholds: thresholds, motion: fix.motion,
                signedDistanceMetres: { place, _ in region.signedDistance(of: StudyPhone.plane.offset(place)) })
            probability = verdict.probability
            return verdict.standing
        }
        let distance = region.signedDistance(of: fix.reading.offset)
        if rule == .homeAssistant {
            let accuracy = fix.reading.accuracyMetres ?? 0
            return distance > accuracy ? .inside : distance < -accuracy ? .outside : standing
        }
        if rule == .raw { return distance >= 0 ? .inside : .outside }
        guard let accuracy = fix.reading.accuracyMetres, accuracy <= 30 else { return standing }
        agreeing = agreeing > 0 && lastWasInside == (distance >= 0) ? agreeing + 1 : 1
        lastWasInside = distance >= 0
        return agreeing >= 5 ? (lastWasInside ? .inside : .outside) : standing
    }

    /// The verdict of the policy in its standard mode, by another probability; nil where there is none.
    private mutating func judgeByMass(_ fix: StudyPhone.Fix, of region: StudyRegion) -> Standing? {
        let mode = RegionMode.standard
        guard let mass = region.mass(around: fix.estimate, deviation: fix.deviation),
            let near = region.mass(around: fix.estimate, deviation: fix.deviation, margin: mode.exitMarginMetres)
        else { return nil }
        probability = mass
        switch standing {
        case .inside: return near < mode.exitProbability ? .outside : .inside
        case .outside: return mass > mode.enterProbability ? .inside : .outside
        case .unknown:
            guard fix.isSettled else { return .unknown }
            return mass > mode.enterProbability ? .inside : mass < mode.exitProbability ? .outside : .unknown
        }
    }
}
