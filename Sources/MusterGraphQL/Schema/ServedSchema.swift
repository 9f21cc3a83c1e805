package import MusterWire

/// The schema that `/graphql` serves: `served.graphql`, which is compiled into the program.
package enum ServedSchema {
    /// The file's text.
    package static let source = String(decoding: PackageResources.served_graphql, as: UTF8.self)

    /// The schema. A test builds it, so that the file has no fault in a program that is delivered.
    package static let schema: GraphQLSchema = {
        do throws(GraphQLErrors) {
            return try GraphQLSchema(source, scalars: ServedScalars.all)
        } catch {
            preconditionFailure("served.graphql is faulty: \(error.errors.map(\.message))")
        }
    }()

    /// What a request may cost. `docs/graphql.md` lists the limits.
    package static let limits: GraphQLLimits = {
        var limits = GraphQLLimits()
        limits.fields = 1_000
        limits.responseValues = 200_000
        limits.responseBytes = 16 << 20
        return limits
    }()
}
