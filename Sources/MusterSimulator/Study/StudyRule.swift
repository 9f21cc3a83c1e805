package import MusterCore
import MusterGeometry

/// A rule that decides when a person is inside.
package enum StudyRule: Hashable, Sendable, CustomStringConvertible {
    /// Inside when the fix is inside.
    case raw
    /// Home Assistant's rule: in when the whole circle of accuracy is inside, out when all of it is outside.
    case homeAssistant
    /// Five fixes in a row of 30 m or better that agree.
    case fiveOfFive
    /// The confident policy in its three modes.
    case confident, insideIsSafe, insideIsDanger
    /// The confident policy with the exact probability that a normal error leaves inside, in place of the one by the
    /// nearest boundary.
    case byMass
    /// The confident policy with other thresholds.
    case confidentAt(CrossingThresholds)

    /// The rows of the study's table.
    package static let compared: [StudyRule] = [
        .raw, .homeAssistant, .fiveOfFive, .confident, .insideIsSafe, .insideIsDanger,
    ]

    /// The confident policy from slow and calm to quick and restless: first without thresholds for moving devices, then
    /// with lower and lower ones for them, then with lower ones for all.
    package static let frontier: [StudyRule] = {
        let pairs = [(1.0, 0.0), (0.75, 0.25), (0.65, 0.35), (0.6, 0.4), (0.55, 0.45), (0.5, 0.5)]
        let moving = pairs.map { CrossingThresholds(standard: (0.85, 0.05, 5), movingEnter: $0, movingExit: $1) }
        let standing = [(0.75, 0.15, 5.0), (0.65, 0.25, 2.0), (0.55, 0.45, 0.0)].map {
            CrossingThresholds(standard: $0, movingEnter: 0.55, movingExit: 0.45)
        }
        return [.homeAssistant] + (moving + standing).map { .confidentAt($0) }
    }()

    /// The rule's name in the tables.
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

    /// The thresholds of the confident policy; nil for other rules.
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
    /// Creates the standard mode's thresholds with others for moving devices; 1 and 0 are never reached.
    fileprivate init(
        standard: (enter: Double, exit: Double, marginMetres: Double), movingEnter: Double, movingExit: Double
    ) {
        self.init(
            enter: standard.enter, exit: standard.exit, exitMarginMetres: standard.marginMetres,
            movingEnter: movingEnter, movingExit: movingExit, movingExitMarginMetres: 0)
    }

    /// The thresholds' name in the tables.
    fileprivate var description: String {
        let standing = "\(enter)/\(exit), \(Int(exitMarginMetres)) m"
        return movingEnter < 1 ? "\(standing); moving \(movingEnter)/\(movingExit)" : standing
    }
}

/// A rule's verdict on one phone and one region.
struct StudyJudge {
    let rule: StudyRule
    private(set) var standing = Standing.unknown
    /// The probability that the phone is inside, by the confident policy.
    private(set) var probability = 0.5
    private var agreeing = 0
    private var lastWasInside = false

    init(_ rule: StudyRule) { self.rule = rule }

    /// Judges the next fix.
    ///
    /// - Returns: the crossing that the rule reports; nil for none, and for the first standing.
    mutating func evaluateFix(_ fix: StudyPhone.Fix, of region: StudyRegion) -> Crossing.Kind? {
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

    /// Returns the verdict of the standard mode by the exact probability; nil when the region has none.
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
