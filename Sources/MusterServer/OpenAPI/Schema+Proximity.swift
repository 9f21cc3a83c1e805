import MusterCore

/// JSON schemas of the OpenAPI document, for proximity.
extension Schema {
    private static let proximityNote = #"{"type":"string","maxLength":500}"#
    private static let ownRole = #"{"type":"string","minLength":1,"maxLength":128}"#
    private static let measured: [(String, String)] = [
        ("radiusMetres", number(ProximityRule.radiusLimits)), ("demand", #"{"enum":["fence","together"]}"#),
    ]
    private static let optional: [(String, String)] = [
        ("centrePerson", text), ("centreDevice", text), ("afterSeconds", number(ProximityRule.afterLimits)),
        ("role", ownRole), ("person", text), ("note", proximityNote),
    ]
    private static let metres = #"{"type":"number","minimum":0}"#
    private static let personNearby = object(
        [("user", text), ("standing", #"{"enum":["within","beyond","unknown"]}"#)],
        optional: [
            ("metres", metres), ("deviationMetres", metres), ("source", rangeSource), ("since", time),
            ("told", boolean), ("simulated", boolean),
        ])

    package static let proximityRules: [(String, String)] = [
        ("NewProximityRule", object(measured, optional: optional)),
        (
            "ProximityRule",
            object(
                [("name", name), ("team", name)] + measured + [
                    ("setBy", text), ("setAt", time), ("within", since), ("beyond", since), ("unknown", since),
                    ("people", list(of: personNearby)),
                ], optional: optional)
        ),
        (
            "Contacts",
            object([
                ("person", name), ("withinMetres", metres), ("from", time), ("to", time), ("complete", boolean),
                (
                    "items",
                    list(
                        of: object(
                            [
                                ("user", name), ("from", time), ("to", time), ("closestMetres", metres),
                                ("deviationMetres", metres),
                            ], optional: [("source", rangeSource)]))
                ),
            ])
        ),
        ("ProximityRules", object([("items", list(of: reference("ProximityRule")))])),
    ]
}
