import MusterCore
import MusterWire

/// The scalars of AWS AppSync that the schema uses, as its documentation describes them.
enum ServedScalars {
    static let all: [String: GraphQLScalar] = [
        "AWSDateTime": GraphQLScalar { value throws(GraphQLScalarFault) in
            guard let text = value.string, (try? Instant(rfc3339: text)) != nil else {
                throw refuse("AWSDateTime", "a text that is not a time of RFC 3339 with its offset")
            }
            return value
        },
        "AWSJSON": GraphQLScalar { value throws(GraphQLScalarFault) in
            guard let text = value.string, (try? JSONValue(parsing: Array(text.utf8))) != nil else {
                throw refuse("AWSJSON", "a text that is not JSON")
            }
            return value
        },
        "AWSTimestamp": GraphQLScalar { value throws(GraphQLScalarFault) in
            guard let number = value.integer, number >= 0 else {
                throw refuse("AWSTimestamp", "a value that is no whole number of milliseconds")
            }
            return value
        },
        "AWSEmail": GraphQLScalar { value throws(GraphQLScalarFault) in
            guard let text = value.string, User.isEmail(text) else {
                throw refuse("AWSEmail", "a text that is no e-mail address")
            }
            return value
        },
        "AWSPhone": GraphQLScalar { value throws(GraphQLScalarFault) in
            guard let text = value.string, User.isPhone(text) else {
                throw refuse("AWSPhone", "a text that is no telephone number")
            }
            return value
        },
    ]

    private static func refuse(_ scalar: String, _ words: String) -> GraphQLScalarFault {
        GraphQLScalarFault("\(scalar) cannot represent \(words).")
    }
}
