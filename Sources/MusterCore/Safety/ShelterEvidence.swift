/// What the last fixes of a device say about its being inside a muster region.
///
/// A standing waits until it is certain that the device went in or out, so that crossings do not flap. Safety must not
/// wait: a device that seems to have left does not make its owner safe, and after a jump into a region neither does the
/// device until further fixes agree.
public struct ShelterEvidence: Hashable, Sendable, RawRepresentable {
    /// What the fixes say, apart from the suspicion.
    private enum Stage: UInt8 {
        /// The device has no standing inside.
        case outside
        /// The device has a standing inside.
        case inside
        /// The device has a standing inside, and its last fixes show that it seems to have left.
        case left
        /// The device jumped into the region, and its last fix does not lie inside.
        case jumped
        /// The device jumped into the region, and its last fix agrees with being inside.
        case jumpedAndAgrees
        /// The device jumped into the region, and its last two fixes agree, or more of them in too short a time.
        case jumpedAndAgreesTwice
        /// The device has a standing inside since an edit, which may have drawn the region around it.
        case insideSinceEdit
        /// The device has a standing inside, and was seen far outside.
        case leftFar
    }

    private var stage: Stage
    /// How much the last fixes speak for the device's having left, in `unit`s. A cumulative sum after Page, "Continuous
    /// inspection schemes", Biometrika 41 (1954): each fix adds how far outside it lies, or takes off how far inside;
    /// below 0 the sum begins anew. Of a device that was seen far outside, its `Return` instead.
    private var suspicion: UInt16 = 0

    /// The unit of the suspicion, in accuracies.
    private static let unit = 1.0 / 4096

    private init(_ stage: Stage, suspicion: UInt16 = 0) {
        self.stage = stage
        self.suspicion = suspicion
    }

    /// The device has no standing inside.
    public static let outside = ShelterEvidence(.outside)
    /// The device has a standing inside, and nothing speaks against it.
    public static let inside = ShelterEvidence(.inside)
    /// The device has a standing inside since an edit, and nothing speaks against it.
    static let insideSinceEdit = ShelterEvidence(.insideSinceEdit)
    /// The device has a standing inside, and seems to have left.
    public static let left = ShelterEvidence(.left, suspicion: UInt16(leastSuspicion / unit))
    /// The device has a standing inside, was seen far outside, and no fix since lies inside.
    static let leftFar = ShelterEvidence(.leftFar)
    /// The device jumped into a region, and its last fix does not lie inside.
    static let jumped = ShelterEvidence(.jumped)
    /// The device jumped into a region, and its last fix agrees with being inside.
    static let jumpedAndAgrees = ShelterEvidence(.jumpedAndAgrees)

    /// The device jumped into a region and its last two fixes agree, or its first standing is inside.
    static let jumpedAndAgreesTwice = ShelterEvidence(.jumpedAndAgreesTwice)

    /// The evidence as a number, for a store.
    public var rawValue: UInt16 { UInt16(stage.rawValue) << 13 | suspicion }

    /// Restores the evidence from its number; nil for a number that no evidence has.
    public init?(rawValue: UInt16) {
        guard let stage = Stage(rawValue: UInt8(rawValue >> 13)) else { return nil }
        self.init(stage, suspicion: rawValue & 0x1FFF)
    }

    /// Whether the device has a standing inside, and nothing speaks against it.
    var isInside: Bool { self == .inside || self == .insideSinceEdit }

    /// Whether no fix has shown the device coming into the region: an edit made the standing.
    var isOfEdit: Bool { stage == .outside || stage == .insideSinceEdit }

    /// Whether the device seems to have left.
    var seemsToHaveLeft: Bool { stage == .left || stage == .leftFar }

    /// Whether the device was seen far outside, and has not come back.
    var wasSeenFarOutside: Bool { stage == .leftFar }

    /// Whether the device jumped into the region, and too few fixes have agreed since.
    var isOfJump: Bool { stage == .jumped || stage == .jumpedAndAgrees || stage == .jumpedAndAgreesTwice }

    /// Returns the evidence after one more fix of a device that has a standing inside.
    ///
    /// - Parameter insideSeconds: for how long the device has had that standing.
    func after(_ fix: FixBesideShelters, insideSeconds: Double) -> ShelterEvidence {
        if isOfJump { return jump(after: fix, insideSeconds: insideSeconds) }
        if stage == .leftFar { return comingBack(after: fix) }
        if fix.side == .gone || stage == .left && !fix.liesInside { return fix.isFarOutside ? .leftFar : .left }
        // The errors of fixes that follow each other quickly are alike.
        let weight = min(fix.ageSeconds / Self.wholeSeconds, 1)
        let counted = max(-Self.leastOfOneFix, min(fix.accuraciesOutside, Self.mostOfOneFix))
        let sum = Double(suspicion) * Self.unit + weight * counted
        if sum >= Self.leastSuspicion { return fix.isFarOutside ? .leftFar : .left }
        // A suspicion that was full has to go down to nothing.
        let inside: Stage = stage == .insideSinceEdit ? .insideSinceEdit : .inside
        return ShelterEvidence(sum > 0 && stage == .left ? .left : inside, suspicion: UInt16(max(sum, 0) / Self.unit))
    }

    private func jump(after fix: FixBesideShelters, insideSeconds: Double) -> ShelterEvidence {
        if fix.side == .outside || fix.side == .gone { return .jumped }
        // A fix that is sent twice counts once.
        guard fix.liesInside, fix.ageSeconds >= Self.leastAgeSeconds else { return self }
        switch stage {
        case .jumped: return .jumpedAndAgrees
        case .jumpedAndAgrees: return ShelterEvidence(.jumpedAndAgreesTwice)
        default: return insideSeconds >= Self.leastSeconds ? .inside : ShelterEvidence(.jumpedAndAgreesTwice)
        }
    }

    /// How far the return of a device has come that was seen far outside.
    private struct Return {
        /// How many fixes lay inside, none of them before a fix outside: up to 2.
        var fixes: UInt16 = 0
        /// How long after the first of them the last fix was measured, seconds.
        var seconds: Double = 0
    }

    /// The bits of the seconds, and their unit: up to 32 s.
    private static let returnBits: UInt16 = 11
    private static let returnUnit = 1.0 / 64
    private static let longestReturnSeconds: Double = 31

    /// Returns the evidence after one more fix of a device that was seen far outside. Errors do not reach that far, so
    /// it comes back as after a jump: by three fixes that lie inside, over 20 s, and none between them that lies
    /// outside by more than the margin, however poor.
    private func comingBack(after fix: FixBesideShelters) -> ShelterEvidence {
        if fix.side == .outside || fix.side == .gone || fix.accuraciesOutside > 0 { return .leftFar }
        let mask: UInt16 = 1 << Self.returnBits - 1
        var way = Return(fixes: suspicion >> Self.returnBits, seconds: Double(suspicion & mask) * Self.returnUnit)
        // Of fixes that follow each other quickly one counts each half second, and one that is sent twice counts once.
        let before = (way.seconds / Self.leastAgeSeconds).rounded(.down)
        if way.fixes > 0 { way.seconds = min(way.seconds + fix.ageSeconds, Self.longestReturnSeconds) }
        let isAnother =
            way.fixes == 0 || fix.ageSeconds >= Self.leastAgeSeconds
            || (way.seconds / Self.leastAgeSeconds).rounded(.down) > before
        if fix.liesInside, isAnother {
            if way.fixes == 2, way.seconds >= Self.leastSeconds { return .inside }
            way.fixes = min(way.fixes + 1, 2)
        }
        let units = UInt16(min(way.seconds / Self.returnUnit, Double(mask)))
        return ShelterEvidence(.leftFar, suspicion: way.fixes << Self.returnBits | units)
    }

    /// For how long three fixes must agree after a jump, seconds.
    private static let leastSeconds: Double = 20
    /// The suspicion with which a device seems to have left, in accuracies.
    private static let leastSuspicion = 1.6
    /// The most that one fix adds, in accuracies: less than `leastSuspicion`, because one fix decides nothing.
    private static let mostOfOneFix = 1.5
    /// The most that one fix takes off, in accuracies.
    private static let leastOfOneFix = 1.0
    /// How long after the fix before a fix counts after a jump, seconds.
    private static let leastAgeSeconds = 0.5
    /// How long after the fix before a fix counts whole, seconds.
    static let wholeSeconds: Double = 2.8
}

/// Where a fix lies, compared with muster regions.
struct FixBesideShelters {
    /// The side of their boundaries on which a fix lies, as far as its errors let one tell.
    enum Side {
        /// The fix agrees with being inside one of them.
        case inside
        /// The fix decides nothing.
        case undecided
        /// The fix lies wholly outside all of them.
        case outside
        /// The fix lies wholly outside all of them, and its speed explains how the device came there.
        case gone
    }

    var side: Side
    /// How far outside all of them the fix lies, beyond a margin of 3 m, in its accuracies; negative inside, and 0 for
    /// a fix that decides nothing.
    var accuraciesOutside: Double
    /// How long after the fix before it was measured, seconds.
    var ageSeconds: Double
    /// Whether the fix lies farther outside all of them than errors reach.
    var isFarOutside: Bool

    /// Whether the fix speaks for the device's being inside one of them: it lies inside, and not only near enough.
    var liesInside: Bool { side == .inside && accuraciesOutside <= 0 }
}
