import MusterCore
import MusterServer
import MusterWire

/// What a field of the schema is: who may read it, and how it is read.
///
/// The default of every field is no: a field of the schema without an entry in `ServedField.table` is refused, and a
/// test finds it.
struct ServedField: Sendable {
    /// Reads the field of objects of its type, whose order it keeps.
    let resolve: @Sendable ([ServedObject], FieldArguments, OperationContext) async throws -> [Resolved]

    /// Every field of the schema, as `Type.field`.
    static let table: [String: ServedField] = {
        let parts = [query, mutation, subscription, users, people, devices, regions, incidents, structures]
        return Dictionary(parts.joined(), uniquingKeysWith: { _, last in last })
    }()
}

/// A value of a field.
typealias Resolved = GraphQLResolved<ServedObject>

/// The arguments of a field, defaults included.
struct FieldArguments: Sendable {
    let members: [JSONValue.Member]

    /// The value of an argument; nil when it has none, or null.
    subscript(_ name: String) -> JSONValue? {
        members.first { $0.key == name }.flatMap { $0.value == .null ? nil : $0.value }
    }
}

/// A field of one type of objects.
struct Field<Subject: Sendable>: Sendable {
    /// Whether the caller may have the field of an object: an answer of `Access`.
    let admits: @Sendable (Access, Subject) -> Bool
    /// Reads the field of those objects of which the caller may have it: a value for each, in their order.
    let read: @Sendable ([Subject], FieldArguments, OperationContext) async throws -> [Resolved]

    /// A field that is read for all objects of a level together.
    static func batch(
        _ admits: @escaping @Sendable (Access, Subject) -> Bool,
        _ read: @escaping @Sendable ([Subject], FieldArguments, OperationContext) async throws -> [Resolved]
    ) -> Field {
        Field(admits: admits, read: read)
    }

    /// A field whose value follows from the object and the directory.
    static func value(
        _ admits: @escaping @Sendable (Access, Subject) -> Bool,
        _ value: @escaping @Sendable (Subject, OperationContext) throws -> JSONValue?
    ) -> Field {
        Field(admits: admits) { subjects, _, operation in
            try subjects.map { subject in try value(subject, operation).map { .value($0) } ?? .null }
        }
    }

    /// A field whose object follows from the object and the directory.
    static func object(
        _ admits: @escaping @Sendable (Access, Subject) -> Bool,
        _ object: @escaping @Sendable (Subject, OperationContext) throws -> ServedObject?
    ) -> Field {
        Field(admits: admits) { subjects, _, operation in
            try subjects.map { subject in try object(subject, operation)?.resolved ?? .null }
        }
    }

    /// The field for the table.
    ///
    /// - Parameters:
    ///   - name: the field as `Type.field`, for the error.
    ///   - subject: what the field takes from an object of its type.
    fileprivate func erased(
        _ name: String, _ subject: @escaping @Sendable (ServedObject) -> Subject?
    ) -> ServedField {
        let refusal = Resolved.failure(.unauthorized(name))
        return ServedField { objects, arguments, operation in
            var places: [Int] = []
            var subjects: [Subject] = []
            subjects.reserveCapacity(objects.count)
            let access = operation.access
            for (place, object) in objects.enumerated() {
                guard let subject = subject(object), admits(access, subject) else { continue }
                places.append(place)
                subjects.append(subject)
            }
            // Most callers may have the field of all.
            if subjects.count == objects.count { return try await read(subjects, arguments, operation) }
            var results = [Resolved](repeating: refusal, count: objects.count)
            if subjects.isEmpty { return results }
            for (place, value) in zip(places, try await read(subjects, arguments, operation)) { results[place] = value }
            return results
        }
    }
}

extension ServedField {
    /// The fields of a type for the table.
    ///
    /// - Parameter subject: what the fields take from an object of the type.
    static func fields<Subject: Sendable>(
        of type: String, _ subject: @escaping @Sendable (ServedObject) -> Subject?, _ fields: [String: Field<Subject>]
    ) -> [(String, ServedField)] {
        fields.map { name, field in ("\(type).\(name)", field.erased("\(type).\(name)", subject)) }
    }
}

/// Reads the fields of one operation.
struct ServedResolver: GraphQLResolver {
    let operation: OperationContext

    func resolve(_ request: GraphQLFieldRequest<ServedObject>) async throws -> [Resolved] {
        let name = "\(request.type).\(request.field)"
        guard let field = ServedField.table[name] else { throw GraphQLFieldFault.unauthorized(name) }
        do {
            try operation.spend(request.objects.count)
            return try await field.resolve(
                request.objects, FieldArguments(members: request.arguments), operation)
        } catch let fault as GraphQLFieldFault {
            throw fault
        } catch {
            throw operation.fault(for: error)
        }
    }
}
